/*
 * Return codes of every DRI function, and the two ways to read them.
 *
 * Every function returns an int: DRI_SUCCESS or one of the codes below. A collective, synchronising call
 * that fails on one process fails on all of them with the same code. Deviation 8 has the exceptions.
 */
#ifndef DRI_CODES_H
#define DRI_CODES_H

#if defined(__GNUC__)
#define DRI_API __attribute__((visibility("default")))
#else
#define DRI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns one of these codes, except the two that return a string. */
typedef enum DRI_Code {
    DRI_SUCCESS = 0,          /* the call is complete */
    DRI_ERR_ARG = 1,          /* an argument is outside its range */
    DRI_ERR_HANDLE = 2,       /* a handle is null, of another kind, or destroyed */
    DRI_ERR_STATE = 3,        /* the call is out of order */
    DRI_ERR_CONSTRAINT = 4,   /* min, max or multiple of a partition cannot be met */
    DRI_ERR_OVERLAP = 5,      /* two pieces of a source own the same element */
    DRI_ERR_GAP = 6,          /* an element of a source belongs to nobody */
    DRI_ERR_MISMATCH = 7,     /* processes or endpoints disagree */
    DRI_ERR_UNMATCHED = 8,    /* an endpoint of a named transfer is missing */
    DRI_ERR_OVERFLOW = 9,     /* a count or a size exceeds 64 bits */
    DRI_ERR_MEMORY = 10,      /* the system provides no more memory */
    DRI_ERR_LIMIT = 11,       /* a limit of the user or of the system is exceeded */
    DRI_ERR_TIMEOUT = 12,     /* a timeout passed; the message names a missing process */
    DRI_ERR_PEER = 13,        /* a process that the call waits for has ended without DRI_finalize */
    DRI_ERR_DEADLOCK = 14,    /* only the caller itself could end the wait */
    DRI_ERR_TRANSPORT = 15,   /* moving bytes between processes failed */
    DRI_ERR_UNSUPPORTED = 16, /* this build, or this combination of attributes, cannot do it */
    DRI_ERR_INTERNAL = 17,    /* a fault of the library: please report it */
    DRI_END_OF_STREAM = 18,   /* no failure: the source has closed the stream; all frames are extracted */
    DRI_ERR_CYCLE = 19,       /* operations or parts of graphs wait for each other */
    DRI_ERR_DUPLICATE = 20    /* a name or an operation of a graph is given twice */
} DRI_Code;

/*
 * Name of a code, such as "DRI_ERR_ARG".
 *
 * Local. May be called at any time.
 * code: any int. For an int that is not a code the name is "unknown DRI code".
 * Returns a static string, never NULL.
 */
DRI_API const char *DRI_error_string(int code);

/*
 * Message of the calling thread's last failed DRI call. It names the call, the object, the process,
 * the dimension and the values that disagree.
 *
 * Local. May be called at any time.
 * Returns a string that stays valid until the same thread's next failed DRI call. It is "" before the first one.
 */
DRI_API const char *DRI_error_message(void);

/* A user's error handler. It receives the code, the message and the pointer that was set with the handler. */
typedef void (*DRI_Error_handler)(int code, const char *message, void *context);

/*
 * Registers a function that is called for every failing DRI call, before the call returns its code.
 * DRI_END_OF_STREAM is not a failure.
 *
 * Local. May be called at any time, also before DRI_init.
 * fn: the handler, or NULL for none (the default: return codes only). The handler runs on the thread of the
 *     failing call, may call DRI functions, and must return. Its message is valid until it returns. A DRI call
 *     that fails inside the handler returns its code and does not call the handler again. Afterwards
 *     DRI_error_message returns the message of the first failure. In a forked child (dri/env.h) no handler is
 *     called.
 * context: passed to the handler unchanged. The caller keeps it valid as long as the handler is set.
 * Errors: none.
 */
DRI_API int DRI_set_error_handler(DRI_Error_handler fn, void *context);

/*
 * Reports a failure by the library's own means: the error handler is called, and DRI_error_message returns the
 * message.
 *
 * For a program's own functions. They return what this call returns, and callers find all failures in one place.
 *
 * Local. May be called at any time.
 * code: a failure: any of DRI_Code but DRI_SUCCESS and DRI_END_OF_STREAM.
 * message: ends with a NUL byte; copied. It may be what DRI_error_message has returned. Control characters other
 * than ends of lines and tabs, and bytes that are no valid UTF-8, are written as \xNN. All else is not changed.
 * Returns code.
 * Errors: DRI_ERR_ARG for NULL, and for a code that is no failure; the message has the caller's message.
 * Source: deviation 50.
 */
DRI_API int DRI_fail(int code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
