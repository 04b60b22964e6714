/* A lock on Fast CDR, which reads every message and request that comes over DDS before a node sees it.
 *
 * Fast CDR (2.3.3) believes two things that a message says of itself:
 * - its head may announce up to three bytes of padding at the end. They are taken off without a look whether there are
 *   any; the end then lies before the beginning, and it reads on through memory until the process dies.
 * - a list may announce any length. ROS asks by a jump over as many bytes whether they are there; in a request to a
 *   service Fast CDR makes them, and thirty bytes then hold the interpreter for a second while room for a list is made.
 * Loaded before it and for all to see (RTLD_GLOBAL), these methods of its class stand in for its own.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#include <type_traits>

#include <fastcdr/Cdr.h>
#include <fastcdr/exceptions/NotEnoughMemoryException.h>

/* what a compiler calls the methods */
#define READ_ENCAPSULATION "_ZN8eprosima7fastcdr3Cdr18read_encapsulationEv"
#define JUMP "_ZN8eprosima7fastcdr3Cdr4jumpEm"
static_assert(std::is_same<size_t, unsigned long>::value, "elsewhere jump has another name");

template <class Method>
static Method its_own(const char *name)
{
    return reinterpret_cast<Method>(dlsym(RTLD_NEXT, name));
}

namespace eprosima {
namespace fastcdr {

Cdr & Cdr::read_encapsulation()
{
    static const auto read = its_own<Cdr &(*)(Cdr *)>(READ_ENCAPSULATION);
    read(this);
    if (static_cast<ptrdiff_t>(end_ - offset_) < 0)
        throw exception::NotEnoughMemoryException("the head announces padding that is not there");
    return *this;
}

bool Cdr::jump(size_t bytes)
{
    static const auto jump = its_own<bool (*)(Cdr *, size_t)>(JUMP);
    /* who writes jumps at most to the end: over what is written, or over a whole message that came serialized */
    return bytes <= static_cast<size_t>(end_ - offset_) && jump(this, bytes);
}

}  // namespace fastcdr
}  // namespace eprosima

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast_cdr", "A lock on Fast CDR.", -1, NULL};

PyMODINIT_FUNC PyInit__fast_cdr(void)
{
    if (!dlsym(RTLD_NEXT, READ_ENCAPSULATION) || !dlsym(RTLD_NEXT, JUMP)) {
        PyErr_SetString(PyExc_ImportError, "this Fast CDR has other methods");
        return NULL;
    }
    return PyModule_Create(&module);
}
