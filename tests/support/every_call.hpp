// Calls of all functions, to be refused while the library does not run.
#pragma once

#include "support/wrong_call.hpp"

namespace dri::test {

// Every function except those that may be called at any time. A row's name is that of the function without DRI_; a
// further row of the same function names the difference, too.
WrongCalls calls_that_need_the_library();
WrongCalls calls_of_pieces_and_graphs(); // a part of them

} // namespace dri::test
