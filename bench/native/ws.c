#define _GNU_SOURCE
#include "ws.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096, HEAD_ROOM = 16 };

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static void keep(struct reader *reader, const uint8_t *data, size_t size)
{
    if (!size)
        return;
    if (!reader->kept)
        must((reader->kept = malloc(INSPECTED + HEAD_ROOM)) != NULL, "no memory");
    memmove(reader->kept, data, size);
    reader->kept_bytes = size;
}

void forget_reader(struct reader *reader)
{
    free(reader->kept);
    *reader = (struct reader){0};
}

/* Reads the head at `data`; returns its length with mask, 0 when it is not there yet. */
static size_t head_at(const uint8_t *data, size_t size, uint64_t *payload, bool *masked)
{
    size_t head = 2;
    if (size < head)
        return 0;
    *masked = data[1] & 0x80;
    *payload = data[1] & 0x7f;
    head += *payload == 126 ? 2 : *payload == 127 ? 8 : 0;
    size_t whole = head + (*masked ? 4 : 0);
    if (size < whole)
        return 0;
    if (head > 2) {
        *payload = 0;
        for (size_t at = 2; at < head; at++)
            *payload = *payload << 8 | data[at];
    }
    return whole;
}

void read_frames(struct reader *reader, uint8_t *data, size_t size, on_frame take, void *owner)
{
    if (reader->passing) {
        uint64_t passed = reader->passing < size ? reader->passing : size;
        reader->passing -= passed;
        data += passed;
        size -= passed;
    }
    if (reader->kept_bytes) {
        data -= reader->kept_bytes;
        memcpy(data, reader->kept, reader->kept_bytes);
        size += reader->kept_bytes;
        reader->kept_bytes = 0;
    }
    while (size) {
        uint64_t payload;
        bool masked;
        size_t head = head_at(data, size, &payload, &masked);
        size_t wanted = payload < INSPECTED ? (size_t)payload : INSPECTED;
        if (!head || size < head + wanted)
            break;
        uint8_t *start = data + head;
        if (masked)
            for (size_t at = 0; at < wanted; at++)
                start[at] ^= (start - 4)[at & 3];
        struct frame frame = {data[0] & 15, start, wanted, payload};
        take(owner, &frame);
        uint64_t whole = head + payload;
        if (whole > size) {
            reader->passing = whole - size;
            return;
        }
        data += whole;
        size -= whole;
    }
    keep(reader, data, size);
}

size_t frame_head(uint8_t *to, int opcode, uint64_t size, bool masked)
{
    uint8_t mask = masked ? 0x80 : 0;
    size_t head = 2;
    to[0] = (uint8_t)(0x80 | opcode);
    if (size < 126) {
        to[1] = (uint8_t)(mask | size);
    } else {
        must(size <= 0xffff, "a frame of more than 65,535 bytes");
        to[1] = mask | 126;
        to[2] = (uint8_t)(size >> 8);
        to[3] = (uint8_t)size;
        head = 4;
    }
    if (masked) {
        memset(to + head, 0, 4);
        head += 4;
    }
    return head;
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int listen_on_loopback(int *port)
{
    int one = 1;
    struct sockaddr_in address = loopback(*port);
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    must(listening >= 0, "no socket");
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    must(!bind(listening, (struct sockaddr *)&address, size), "cannot bind");
    must(!listen(listening, BACKLOG), "cannot listen");
    getsockname(listening, (struct sockaddr *)&address, &size);
    *port = ntohs(address.sin_port);
    return listening;
}

int connect_to_loopback(int port)
{
    int one = 1;
    struct sockaddr_in address = loopback(port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    must(made >= 0, "no socket; raise the limit of open files");
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    bool begun = !connect(made, (struct sockaddr *)&address, sizeof address);
    must(begun || errno == EINPROGRESS, "cannot connect");
    return made;
}

void raise_file_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
