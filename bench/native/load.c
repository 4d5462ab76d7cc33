/* The load client: placers and watchers of one board, and somebody who pings meanwhile.
 *
 * usage: load port=N …, with the options of options.h as name=value
 * Placers come first and watch too; they place as soon as all of them have joined. Prints "joined
 * {…}", with cut= "resumed {…}", "begin" and "end {…}", each the moment that it is so, and hangs up
 * after the end.
 */
#define _GNU_SOURCE
#include "ws.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options.h"
#include "tally.h"

enum { EVENTS = 512, RECEIVED = 1 << 20, ROOM = 8192, REQUESTS = 1 << 20 };
enum { IN_FLIGHT = 256, SAMPLED = 32 };
static const double PROBE_EVERY = 0.020, DRAIN = 10.0;

enum state { OUTSIDE, CONNECTING, SHAKING, JOINING, INSIDE, GONE };

struct connection {
    int file;
    enum state state;
    bool places, sampled, probes;
    struct reader reader;
    double began;
    uint64_t told; /* newest seq that it was told */
    bool back;     /* it was here before and says where it stands */
    long bands_left;
    char response[1024];
    size_t response_bytes;
};

static struct connection *connections, prober = {.probes = true};
static long total, asked, inside, placers_inside, gone, channel = 1;
static char epoch[40];
static int poller;
static uint8_t received[ROOM + RECEIVED];
static double now, place_from, probe_at[REQUESTS];
static uint32_t request_number, probe_number;
static bool finishing;

static void send_all(struct connection *one, const uint8_t *data, size_t size)
{
    /* A client that cannot write for a moment is the measurement's fault: it waits. */
    while (size) {
        ssize_t sent = send(one->file, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            return; /* its end is seen by the reader */
        if (sent > 0) {
            data += sent;
            size -= (size_t)sent;
        }
    }
}

static void send_text(struct connection *one, const char *text)
{
    uint8_t frame[1024];
    size_t size = strlen(text), head = frame_head(frame, TEXT, size, true);
    must(head + size < sizeof frame, "too long a message");
    memcpy(frame + head, text, size);
    send_all(one, frame, head + size);
}

static void add_wish(const struct connection *one, char *to, size_t room)
{
    char since[100] = "";
    if (one->back)
        snprintf(since, sizeof since, ",\"since\":{\"epoch\":\"%s\",\"seq\":%llu}", epoch,
                 (unsigned long long)one->told);
    snprintf(to, room, "{\"game\":\"%s\",\"snapshot\":\"%s\"%s}", options.game,
             options.snapshot, since);
}

static void subscribe(struct connection *one)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"do\":\"subscribe\",\"id\":1,\"guest\":%s,\"wantsPresence\":%s,\"games\":[",
             one->places || options.guests ? "true" : "false", options.presence ? "true" : "false");
    if (options.watch || !one->places)
        add_wish(one, text + strlen(text), sizeof text - strlen(text));
    strcat(text, "]}");
    one->state = JOINING;
    one->bands_left = -1;
    send_text(one, one->probes ? "{\"do\":\"subscribe\",\"id\":1,\"games\":[]}" : text);
}

static void finish_joining(struct connection *one)
{
    one->state = INSIDE;
    if (one->probes)
        return;
    inside++;
    add_sample(&tally.joins, seconds_now() - one->began);
    placers_inside += one->places;
    if (one->places && placers_inside == options.placers)
        place_from = seconds_now();
}

static long number_after(const struct frame *frame, const char *name)
{
    const char *found = memmem(frame->payload, frame->inspected, name, strlen(name));
    return found ? atol(found + strlen(name)) : -1;
}

/* Notes where the stream starts: what a watcher that is cut before any frame resumes from. */
static void take_position(struct connection *one, const struct frame *frame)
{
    const char *found = memmem(frame->payload, frame->inspected, "\"epoch\":\"", 9);
    if (!found || one->back)
        return;
    size_t size = strcspn(found + 9, "\"");
    must(size < sizeof epoch, "too long an epoch");
    memcpy(epoch, found + 9, size);
    one->told = (uint64_t)atoll(strstr(found, "\"seq\":") + 6);
}

static void take_text(struct connection *one, const struct frame *frame)
{
    long answered = number_after(frame, "\"re\":");
    if (one->probes && one->state == INSIDE && answered > 1) {
        add_sample(&tally.probes, seconds_now() - probe_at[answered % REQUESTS]);
    } else if (one->state == JOINING && answered == 1) {
        long found = number_after(frame, "\"channel\":");
        must(memmem(frame->payload, frame->inspected, "\"ok\":true", 9) != NULL, "refused to join");
        channel = found > 0 ? found : channel;
        if (options.cut)
            take_position(one, frame);
        bool follows = memmem(frame->payload, frame->inspected, "\"resume\":\"snapshot\"", 19);
        if (!follows)
            finish_joining(one);
    } else if (number_after(frame, "\"bands\":") > 0) {
        one->bands_left = number_after(frame, "\"bands\":");
    }
}

static void take_frame(void *owner, const struct frame *frame)
{
    struct connection *one = owner;
    if (frame->opcode == TEXT) {
        take_text(one, frame);
    } else if (frame->opcode == BINARY && frame->payload[0] == PIXELS) {
        take_pixels(&one->told, one->sampled, frame->payload);
    } else if (frame->opcode == BINARY && frame->payload[0] == ACK) {
        take_ack(frame->payload);
    } else if (frame->opcode == BINARY && one->bands_left > 0 && !--one->bands_left) {
        finish_joining(one);
    } else if (frame->opcode == PING) {
        uint8_t pong[160];
        size_t size = frame->inspected < 126 ? frame->inspected : 125;
        size_t head = frame_head(pong, PONG, size, true);
        memcpy(pong + head, frame->payload, size);
        send_all(one, pong, head + size);
    }
}

static void leave(struct connection *one)
{
    if (one->file)
        close(one->file);
    forget_reader(&one->reader);
    gone += one->state != GONE;
    one->state = GONE;
    one->file = 0;
}

static void shake(struct connection *one)
{
    char request[512];
    snprintf(request, sizeof request,
             "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%ld\r\nUpgrade: websocket\r\n"
             "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tesserae.v1\r\n\r\n",
             options.port);
    one->state = SHAKING;
    send_all(one, (const uint8_t *)request, strlen(request));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
    must(!epoll_ctl(poller, EPOLL_CTL_MOD, one->file, &event), "cannot poll");
}

/* Collects the response; returns how many bytes of `data` belong to it. */
static size_t take_response(struct connection *one, const uint8_t *data, size_t size)
{
    size_t before = one->response_bytes, room = sizeof one->response - before;
    size_t added = size < room ? size : room;
    memcpy(one->response + before, data, added);
    one->response_bytes += added;
    char *end = memmem(one->response, one->response_bytes, "\r\n\r\n", 4);
    must(end || added == size, "too long a response");
    if (!end)
        return size;
    must(!memcmp(one->response, "HTTP/1.1 101", 12), "no upgrade; see the server's limits");
    subscribe(one);
    return (size_t)(end + 4 - one->response) - before;
}

static void hear(struct connection *one)
{
    if (one->state == CONNECTING) {
        shake(one);
        return;
    }
    uint8_t *data = received + ROOM;
    ssize_t size = recv(one->file, data, RECEIVED, 0);
    if (size < 0 && errno == EAGAIN)
        return;
    if (size <= 0) {
        leave(one);
        return;
    }
    if (one->state == SHAKING) {
        size_t taken = take_response(one, data, (size_t)size);
        data += taken;
        size -= (ssize_t)taken;
    }
    tally.bytes += tally.measuring ? (uint64_t)size : 0;
    tally.joined_bytes += one->state == JOINING ? (uint64_t)size : 0;
    read_frames(&one->reader, data, (size_t)size, take_frame, one);
}

static void come(struct connection *one)
{
    one->began = now;
    one->state = CONNECTING;
    one->file = connect_to_loopback((int)options.port);
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = one};
    must(!epoll_ctl(poller, EPOLL_CTL_ADD, one->file, &event), "cannot poll");
}

static void place(struct connection *one)
{
    uint8_t frame[16 + PLACE_HEAD + 4 * MAX_RECORDS];
    size_t size = PLACE_HEAD + 4 * (size_t)options.records;
    size_t at = frame_head(frame, BINARY, size, true);
    uint16_t to = (uint16_t)channel;
    uint32_t request = ++request_number;
    memset(frame + at, 0, size);
    frame[at] = PLACE;
    memcpy(frame + at + 2, &to, 2);
    memcpy(frame + at + 4, &request, 4);
    for (long index = 0; index < options.records; index++) {
        uint32_t x = (uint32_t)(random() % options.width), y = (uint32_t)(random() % options.height);
        uint32_t record = x | y << 13 | (uint32_t)(random() % 16) << 26;
        memcpy(frame + at + PLACE_HEAD + 4 * index, &record, 4);
    }
    note_placed(request, (uint64_t)options.records);
    send_all(one, frame, at + size);
}

static void place_due(void)
{
    static double due;
    if (!place_from || !options.rate || finishing)
        return;
    for (; due < (now - place_from) * options.rate; due++) {
        struct connection *one = connections + (long)due % options.placers;
        if (one->state == INSIDE)
            place(one);
    }
}

static void probe_due(void)
{
    static double next;
    if (prober.state != INSIDE || now < next)
        return;
    char text[64];
    snprintf(text, sizeof text, "{\"do\":\"ping\",\"id\":%u}", ++probe_number + 1);
    probe_at[(probe_number + 1) % REQUESTS] = seconds_now();
    send_text(&prober, text);
    next = now + PROBE_EVERY;
}

static void join_due(double started)
{
    while (asked < total && asked - inside - gone < IN_FLIGHT &&
           (!options.joins || (double)asked < (now - started) * options.joins))
        come(connections + asked++);
}

static void turn(double wait)
{
    struct epoll_event events[EVENTS];
    struct timespec time = {0, (long)(1e9 * wait)};
    int heard = epoll_pwait2(poller, events, EVENTS, &time, NULL);
    now = seconds_now();
    for (int index = 0; index < heard; index++)
        hear(events[index].data.ptr);
    place_due();
    probe_due();
}

/* Cuts the last watchers and lets them come back at once; returns the seconds that it took. */
static double cut_and_resume(void)
{
    for (long index = total - options.cut; index < total; index++) {
        struct connection *one = connections + index;
        close(one->file);
        forget_reader(&one->reader);
        one->state = OUTSIDE;
        one->response_bytes = 0;
        one->back = true;
    }
    inside -= options.cut;
    for (double until = now + options.away; now < until;)
        turn(0.001);
    clear_samples(&tally.joins);
    clear_samples(&tally.probes);
    tally.joined_bytes = 0;
    double began = now;
    for (long index = total - options.cut; index < total; index++)
        come(connections + index);
    while (inside + gone < total)
        turn(0.001);
    return now - began;
}

static void make_connections(void)
{
    total = options.placers + options.watchers;
    must((connections = calloc((size_t)total, sizeof *connections)) != NULL, "no memory");
    long stride = total / SAMPLED + 1;
    for (long index = 0; index < total; index++) {
        connections[index].places = index < options.placers;
        connections[index].sampled = index % stride == 0;
    }
    if (!options.placers)
        place_from = seconds_now();
}

int main(int count, char **words)
{
    read_options(count, words);
    raise_file_limit();
    signal(SIGPIPE, SIG_IGN);
    poller = epoll_create1(0);
    make_connections();
    now = seconds_now();
    come(&prober);
    double started = now;
    while (inside + gone < total) {
        join_due(started);
        turn(0.001);
    }
    print_joined("joined", inside, gone, now - started);
    if (options.cut) {
        double took = cut_and_resume();
        print_joined("resumed", inside, gone, took);
    }
    for (double until = now + options.warm; now < until;)
        turn(0.001);
    clear_samples(&tally.probes);
    tally.measuring = true;
    double begun = now;
    printf("begin\n");
    fflush(stdout);
    while (now < begun + options.seconds)
        turn(0.001);
    tally.measuring = false;
    finishing = true;
    double ended = now;
    while (tally.answered < tally.placed && now < ended + DRAIN)
        turn(0.001);
    print_end(ended - begun, gone);
    return 0;
}
