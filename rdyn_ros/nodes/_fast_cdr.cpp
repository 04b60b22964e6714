/* A lock on Fast CDR, which reads every message and request that comes over DDS before a node sees it.
 *
 * The head of a message may announce up to three bytes of padding at its end. Fast CDR (2.3.3) takes them off the end
 * without looking whether there are any; the end then lies before the beginning, and it reads on through memory until
 * the process dies. Loaded before it and for all to see (RTLD_GLOBAL), this method of its class stands in for its own.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#include <fastcdr/Cdr.h>
#include <fastcdr/exceptions/NotEnoughMemoryException.h>

#define NAME "_ZN8eprosima7fastcdr3Cdr18read_encapsulationEv" /* what a compiler calls the method */

namespace eprosima {
namespace fastcdr {

Cdr & Cdr::read_encapsulation()
{
    using Method = Cdr &(*)(Cdr *);
    static const Method its_own = reinterpret_cast<Method>(dlsym(RTLD_NEXT, NAME));
    its_own(this);
    if (static_cast<ptrdiff_t>(end_ - offset_) < 0)
        throw exception::NotEnoughMemoryException("the head announces padding that is not there");
    return *this;
}

}  // namespace fastcdr
}  // namespace eprosima

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast_cdr", "A lock on Fast CDR.", -1, NULL};

PyMODINIT_FUNC PyInit__fast_cdr(void)
{
    if (!dlsym(RTLD_NEXT, NAME)) {
        PyErr_SetString(PyExc_ImportError, "this Fast CDR has another read_encapsulation");
        return NULL;
    }
    return PyModule_Create(&module);
}
