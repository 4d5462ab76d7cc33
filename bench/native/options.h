/* What the load client is told on its command line, as name=value. */
#ifndef TESSERAE_BENCH_OPTIONS_H
#define TESSERAE_BENCH_OPTIONS_H

enum { MAX_RECORDS = 64 };

struct options {
    long port;            /* on loopback */
    long watchers;        /* connections that only watch */
    long placers;         /* connections that place */
    long watch;           /* 0: placers do not watch */
    long guests;          /* 1: watchers are somebody, as placers are */
    long presence;        /* 1: all want to hear who comes and goes */
    long records;         /* of each frame */
    long width, height;   /* of the part of the board that is placed upon */
    double rate;          /* frames a second of all placers together */
    double seconds, warm; /* of the measurement, and before it */
    double joins;         /* connections a second; 0: as fast as they are answered */
    long cut;             /* watchers that are cut at once when all have joined, and come back */
    double away;          /* seconds after which they come back, all at once */
    char snapshot[16];    /* inline, http or none */
    char game[132];
};

extern struct options options;

/* Fills `options`; ends the program at one that makes no sense. */
void read_options(int count, char **words);

#endif
