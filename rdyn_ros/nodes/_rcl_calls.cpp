/* Where memory is short, DDS throws; nobody above this could catch it, and the process would end. */
#include <new>

#include "_rcl_calls.h"

extern "C" {
Rcl rcl;
}

template <class Call>
static int caught(Call call)
{
    try {
        return call();
    } catch (const std::bad_alloc &) {
        return RCL_BAD_ALLOC;
    } catch (...) {
        return RCL_ERROR;
    }
}

int publish_message(const void *publisher, const Serialized *message)
{
    return caught([=] { return rcl.publish(publisher, message, nullptr); });
}

int take_message(const void *subscription, Serialized *message, MessageInfo *info)
{
    return caught([=] { return rcl.take(subscription, message, info, nullptr); });
}
