// The former name of the tests' namespace, which the tests of wrong calls and of commits still use.
#pragma once

namespace dri::test {}
namespace dri_test {
using namespace dri::test;
}
