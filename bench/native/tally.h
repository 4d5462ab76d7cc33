/* What the load client counts, and what it tells of it. */
#ifndef TESSERAE_BENCH_TALLY_H
#define TESSERAE_BENCH_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "samples.h"

struct tally {
    bool measuring;        /* frames, bytes and times count from here on */
    uint64_t frames;       /* of pixels, to anybody */
    uint64_t holes;        /* seqs that a connection was not told, from its first on */
    uint64_t bytes, joined_bytes;
    uint64_t placed, answered, refused; /* since the start, also before the measurement */
    struct samples joins, acks, deliveries, probes;
};

extern struct tally tally;

void note_placed(uint32_t request, uint64_t records);
/* `told` is the newest seq that the connection knows; the times of a sampled one are kept. */
void take_pixels(uint64_t *told, bool sampled, const uint8_t *payload);
void take_ack(const uint8_t *payload);
void print_joined(const char *what, long inside, long gone, double seconds);
void print_end(double seconds, long gone);

#endif
