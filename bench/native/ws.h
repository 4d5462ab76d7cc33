/* What both programs need of WebSocket and of the protocol: frames without extensions, a clock.
 *
 * Frames are read where they lie: at most INSPECTED bytes of a payload are looked at, the rest is
 * passed over, so that a reader needs no more memory than that for each connection.
 */
#ifndef TESSERAE_BENCH_WS_H
#define TESSERAE_BENCH_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };
enum { PIXELS = 0x01, PLACE = 0x10, ACK = 0x11 };
enum { INSPECTED = 4096, PIXELS_HEAD = 24, PLACE_HEAD = 12, ACK_BYTES = 32 };

struct frame {
    int opcode;
    uint8_t *payload;  /* unmasked; the first `inspected` bytes of `size` */
    size_t inspected;
    uint64_t size;
};

struct reader {
    uint8_t *kept;      /* the beginning of a frame whose rest has not arrived */
    size_t kept_bytes;
    uint64_t passing;   /* bytes of a payload that are still to be passed over */
};

typedef void (*on_frame)(void *owner, const struct frame *frame);

double seconds_now(void);
/* Hands every frame in `data` to `take`; `data` has room for INSPECTED + 16 bytes before it. */
void read_frames(struct reader *reader, uint8_t *data, size_t size, on_frame take, void *owner);
void forget_reader(struct reader *reader);
/* Writes the head of a frame; `masked` adds a mask of zeros. Returns its length. */
size_t frame_head(uint8_t *to, int opcode, uint64_t size, bool masked);
int listen_on_loopback(int *port);
int connect_to_loopback(int port);
void must(bool holds, const char *what);
/* The limit of open files, raised as far as it goes. */
void raise_file_limit(void);

#endif
