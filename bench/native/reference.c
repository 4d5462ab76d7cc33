/* The reference: the least that a server can do for this protocol, with one send() for each socket.
 *
 * It gathers the placements that come, frames them once, and sends the frame to everybody who
 * watches; who placed gets the acks in the same system call. No rules, no board, nothing durable.
 * The tick waits three times what the last one cost, between 10 and 200 ms, as the server's does.
 *
 * usage: reference [PORT]      prints "port N" and serves until it is ended
 */
#define _GNU_SOURCE
#include "ws.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_FILES = 65536, MAX_RECORDS = 16000, EVENTS = 512, RECEIVED = 262144, ROOM = 8192 };
enum { ACK_FRAME = 2 + ACK_BYTES };
static const double TICK_MIN = 0.010, TICK_MAX = 0.200, COST_FACTOR = 3.0;

struct connection {
    int file;
    bool upgraded, watches;
    struct reader reader;
    uint8_t *acks;
    size_t ack_bytes, ack_room;
    char request[2048];
    size_t request_bytes;
};

static struct connection *connections[MAX_FILES];
static int highest;
static uint32_t records[MAX_RECORDS];
static size_t record_count;
static uint64_t seq;
static int poller;
static uint8_t received[ROOM + RECEIVED];

static void end(struct connection *one)
{
    close(one->file);
    connections[one->file] = NULL;
    forget_reader(&one->reader);
    free(one->acks);
    free(one);
}

static void send_frame(struct connection *one, int opcode, const void *payload, size_t size)
{
    uint8_t head[16];
    struct iovec parts[2] = {{head, frame_head(head, opcode, size, false)}, {(void *)payload, size}};
    must(writev(one->file, parts, 2) >= 0 || errno == EAGAIN || errno == EPIPE, "cannot send");
}

static void add_ack(struct connection *one, uint32_t request, uint32_t record, int index)
{
    if (one->ack_bytes + ACK_FRAME > one->ack_room) {
        one->ack_room = one->ack_room ? 2 * one->ack_room : 8 * ACK_FRAME;
        must((one->acks = realloc(one->acks, one->ack_room)) != NULL, "no memory");
    }
    uint8_t *ack = one->acks + one->ack_bytes;
    memset(ack, 0, ACK_FRAME);
    size_t head = frame_head(ack, BINARY, ACK_BYTES, false);
    ack[head] = ACK;
    memcpy(ack + head + 4, &request, 4);
    memcpy(ack + head + 8, &seq, 8);
    memcpy(ack + head + 16, &record, 4);
    ack[head + 20] = (uint8_t)index;
    one->ack_bytes += ACK_FRAME;
}

static void take_frame(void *owner, const struct frame *frame)
{
    struct connection *one = owner;
    const uint8_t *payload = frame->payload;
    if (frame->opcode == TEXT) {
        const char *id = memmem(payload, frame->inspected, "\"id\":", 5);
        char reply[64];
        one->watches |= memmem(payload, frame->inspected, "\"game\"", 6) != NULL;
        int size = snprintf(reply, sizeof reply, "{\"re\":%ld,\"ok\":true}", id ? atol(id + 5) : 0L);
        send_frame(one, TEXT, reply, (size_t)size);
    } else if (frame->opcode == BINARY && payload[0] == PLACE) {
        uint32_t request, record;
        memcpy(&request, payload + 4, 4);
        int count = (int)(frame->size - PLACE_HEAD) / 4;
        for (int index = 0; index < count && record_count < MAX_RECORDS; index++) {
            memcpy(&record, payload + PLACE_HEAD + 4 * index, 4);
            records[record_count++] = record;
            seq++;
            add_ack(one, request, record, index);
        }
    } else if (frame->opcode == PING) {
        send_frame(one, PONG, payload, frame->inspected);
    }
}

static bool upgrade(struct connection *one, const uint8_t *data, size_t size)
{
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                 "Connection: Upgrade\r\nSec-WebSocket-Accept: none\r\n"
                                 "Sec-WebSocket-Protocol: tesserae.v1\r\n\r\n";
    if (one->request_bytes + size > sizeof one->request)
        return false;
    memcpy(one->request + one->request_bytes, data, size);
    one->request_bytes += size;
    if (memmem(one->request, one->request_bytes, "\r\n\r\n", 4)) {
        one->upgraded = true;
        must(send(one->file, answer, sizeof answer - 1, MSG_NOSIGNAL) > 0, "cannot answer");
    }
    return true;
}

static void hear(struct connection *one)
{
    ssize_t size = recv(one->file, received + ROOM, RECEIVED, 0);
    if (size < 0 && errno == EAGAIN)
        return;
    if (size <= 0)
        end(one);
    else if (one->upgraded)
        read_frames(&one->reader, received + ROOM, (size_t)size, take_frame, one);
    else if (!upgrade(one, received + ROOM, (size_t)size))
        end(one);
}

static void accept_all(int listening)
{
    int one = 1, file;
    while ((file = accept4(listening, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        must(file < MAX_FILES, "too many connections");
        struct connection *made = calloc(1, sizeof *made);
        must(made != NULL, "no memory");
        made->file = file;
        connections[file] = made;
        highest = file > highest ? file : highest;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = made};
        must(!epoll_ctl(poller, EPOLL_CTL_ADD, file, &event), "cannot poll");
    }
}

static void tick(void)
{
    static uint8_t frame[16 + PIXELS_HEAD + 4 * MAX_RECORDS];
    size_t payload = PIXELS_HEAD + 4 * record_count, at = frame_head(frame, BINARY, payload, false);
    uint64_t first = seq - record_count + 1;
    memset(frame + at, 0, PIXELS_HEAD);
    frame[at] = PIXELS;
    memcpy(frame + at + 8, &first, 8);
    memcpy(frame + at + 16, &seq, 8);
    memcpy(frame + at + PIXELS_HEAD, records, 4 * record_count);
    for (int file = 0; file <= highest; file++) {
        struct connection *one = connections[file];
        if (!one || !(one->watches || one->ack_bytes))
            continue;
        if (!one->ack_bytes) {
            send(file, frame, at + payload, MSG_NOSIGNAL);
            continue;
        }
        struct iovec parts[2] = {{frame, one->watches ? at + payload : 0},
                                 {one->acks, one->ack_bytes}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        sendmsg(file, &message, MSG_NOSIGNAL);
        one->ack_bytes = 0;
    }
    record_count = 0;
}

int main(int count, char **words)
{
    int port = count > 1 ? atoi(words[1]) : 0;
    raise_file_limit();
    signal(SIGPIPE, SIG_IGN);
    int listening = listen_on_loopback(&port);
    poller = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN}, events[EVENTS];
    must(!epoll_ctl(poller, EPOLL_CTL_ADD, listening, &event), "cannot poll");
    printf("port %d\n", port);
    fflush(stdout);
    double next = 0;
    for (;;) {
        double left = record_count ? next - seconds_now() : 0.2;
        struct timespec wait = {0, left > 0 ? (long)(1e9 * left) : 0};
        int heard = epoll_pwait2(poller, events, EVENTS, &wait, NULL);
        for (int index = 0; index < heard; index++) {
            if (events[index].data.ptr)
                hear(events[index].data.ptr);
            else
                accept_all(listening);
        }
        double started = seconds_now();
        if (!record_count || started < next)
            continue;
        tick();
        double ended = seconds_now(), interval = COST_FACTOR * (ended - started);
        interval = interval < TICK_MIN ? TICK_MIN : interval > TICK_MAX ? TICK_MAX : interval;
        next = ended + interval;
    }
}
