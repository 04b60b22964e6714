/* What is used of rcl, in the library that rclpy has loaded: no headers of ROS are needed to build this. */
#pragma once
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "_rcl_calls.h"

/* Finds the functions; -1 with an error set where they are not loaded. */
static int find_rcl(void)
{
    void *library = rcl.take ? NULL : dlopen("librcl.so", RTLD_NOW | RTLD_NOLOAD);
    if (library) {
        *(void **)&rcl.publish = dlsym(library, "rcl_publish_serialized_message");
        *(void **)&rcl.on_new_message = dlsym(library, "rcl_subscription_set_on_new_message_callback");
        *(void **)&rcl.error_words = dlsym(library, "rcutils_get_error_string");
        *(void **)&rcl.reset_error = dlsym(library, "rcutils_reset_error");
        *(void **)&rcl.take = dlsym(library, "rcl_take_serialized_message");
    }
    if (rcl.publish && rcl.on_new_message && rcl.error_words && rcl.reset_error && rcl.take) return 0;
    PyErr_SetString(PyExc_RuntimeError, "no rcl is loaded that has all that is needed");
    return -1;
}

/* Sets an error for what rcl could not do in this thread, in its words. */
static PyObject *complain(const char *what, int code)
{
    ErrorWords words = rcl.error_words();
    rcl.reset_error();
    if (code == RCL_BAD_ALLOC) return PyErr_NoMemory();
    return PyErr_Format(PyExc_RuntimeError, "%s: %s (error %d of rcl)", what, words.text, code);
}

/* Leaves a handle of rclpy; an error that is set stays so. */
static void leave(PyObject *handle)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(PyObject_CallMethod(handle, "__exit__", "OOO", Py_None, Py_None, Py_None));
    PyErr_Restore(type, value, trace);
}

/* Enters a handle, so that no other thread destroys what it holds, and reads where that is. */
static const void *enter(PyObject *handle)
{
    PyObject *done = PyObject_CallMethod(handle, "__enter__", NULL);
    PyObject *pointer = done ? PyObject_GetAttrString(handle, "pointer") : NULL;
    const void *address = pointer ? PyLong_AsVoidPtr(pointer) : NULL;
    if (done && !address) leave(handle);
    Py_XDECREF(done);
    Py_XDECREF(pointer);
    return address;
}

static void *plain_allocate(size_t size, void *unused) { return malloc(size); }
static void plain_deallocate(void *memory, void *unused) { free(memory); }
static void *plain_reallocate(void *memory, size_t size, void *unused) { return realloc(memory, size); }
static void *plain_zero_allocate(size_t n, size_t size, void *unused) { return calloc(n, size); }

static const Serialized NO_MESSAGE = {NULL, 0, 0, plain_allocate, plain_deallocate, plain_reallocate,
                                      plain_zero_allocate, NULL};
