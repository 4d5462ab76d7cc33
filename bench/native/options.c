#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ws.h"

struct options options = {.records = 1, .watch = 1, .width = 960, .height = 540, .seconds = 10, .warm = 2,
                          .snapshot = "inline", .game = "place#main"};

static const struct {
    const char *name;
    long *whole;
    double *number;
} NUMBERS[] = {
    {"port", &options.port, NULL},       {"watchers", &options.watchers, NULL},
    {"placers", &options.placers, NULL}, {"records", &options.records, NULL},
    {"width", &options.width, NULL},     {"height", &options.height, NULL},
    {"watch", &options.watch, NULL},     {"rate", NULL, &options.rate},
    {"seconds", NULL, &options.seconds}, {"warm", NULL, &options.warm},
    {"joins", NULL, &options.joins},     {"cut", &options.cut, NULL},
    {"away", NULL, &options.away},       {"guests", &options.guests, NULL},
    {"presence", &options.presence, NULL},
};

static void refuse(const char *word)
{
    fprintf(stderr, "%s: no such option; they are name=value, and options.h lists them\n", word);
    exit(2);
}

static void read_number(const char *word, size_t name, const char *value)
{
    for (size_t index = 0; index < sizeof NUMBERS / sizeof *NUMBERS; index++) {
        if (strlen(NUMBERS[index].name) != name || memcmp(NUMBERS[index].name, word, name))
            continue;
        if (NUMBERS[index].whole)
            *NUMBERS[index].whole = atol(value);
        else
            *NUMBERS[index].number = atof(value);
        return;
    }
    refuse(word);
}

void read_options(int count, char **words)
{
    for (int index = 1; index < count; index++) {
        char *word = words[index], *value = strchr(word, '=');
        if (!value)
            refuse(word);
        if (!strncmp(word, "snapshot=", 9))
            snprintf(options.snapshot, sizeof options.snapshot, "%s", value + 1);
        else if (!strncmp(word, "game=", 5))
            snprintf(options.game, sizeof options.game, "%s", value + 1);
        else
            read_number(word, (size_t)(value - word), value + 1);
    }
    must(options.port > 0, "port= is needed");
    must(options.records > 0 && options.records <= MAX_RECORDS, "records= is 1 to 64");
    must(options.placers || !options.rate, "rate= needs placers=");
    must(options.cut <= options.watchers, "cut= is at most watchers=");
}
