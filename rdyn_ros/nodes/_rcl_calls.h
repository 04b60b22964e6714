/* The calls of rcl that are made, and what they pass: for C, and for C++, which alone can catch what they throw. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { RCL_OK = 0, RCL_ERROR = 1, RCL_BAD_ALLOC = 10, RCL_NOTHING_TAKEN = 401 };

/* rcl_serialized_message_t: bytes, how many, room for how many, and who makes room. */
typedef struct {
    char *buffer;
    size_t length, capacity;
    void *(*allocate)(size_t size, void *unused);
    void (*deallocate)(void *memory, void *unused);
    void *(*reallocate)(void *memory, size_t size, void *unused);
    void *(*zero_allocate)(size_t n, size_t size, void *unused);
    void *unused;
} Serialized;

/* rmw_message_info_t; newer ones may be longer. */
typedef struct {
    int64_t sent, received;
    uint64_t number, reception; /* of the publisher, of the subscription */
    const char *middleware;
    unsigned char publisher[16];
    char more[64];
} MessageInfo;

/* rcutils_error_string_t */
typedef struct {
    char text[1024];
} ErrorWords;

typedef struct {
    int (*publish)(const void *publisher, const Serialized *message, void *allocation);
    int (*take)(const void *subscription, Serialized *message, MessageInfo *info, void *allocation);
    int (*on_new_message)(const void *subscription, void (*call)(const void *, size_t), const void *data);
    ErrorWords (*error_words)(void);
    void (*reset_error)(void);
} Rcl;

#ifdef __cplusplus
extern "C" {
#endif
extern Rcl rcl;
int publish_message(const void *publisher, const Serialized *message);
int take_message(const void *subscription, Serialized *message, MessageInfo *info);
#ifdef __cplusplus
}
#endif
