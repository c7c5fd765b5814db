// Formats and throws failures, and maps standard exceptions to public codes.
#include "base/error.hpp"

#include "base/printable.hpp"

#include <new>
#include <stdexcept>

namespace dri::inline base {

void fail_with(DRI_Code code, fmt::string_view text, fmt::format_args args) {
    throw Error(code, printable(fmt::vformat(text, args)));
}

Error current_error() {
    try {
        throw;
    } catch (const Error &e) {
        return e;
    } catch (const std::bad_alloc &) {
        return Error(DRI_ERR_MEMORY, "out of memory");
    } catch (const std::length_error &) { // a container is asked for more elements than it can address
        return Error(DRI_ERR_MEMORY, "a list would be longer than memory can hold");
    } catch (const std::exception &e) {
        return Error(DRI_ERR_INTERNAL, printable(e.what()));
    } catch (...) {
        return Error(DRI_ERR_INTERNAL, "unknown exception");
    }
}

} // namespace dri::inline base
