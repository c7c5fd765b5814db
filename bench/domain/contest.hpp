// What domain_bench compares: something that the library does beside what a program does by hand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace domain_bench {

// Ready to be measured. One turn of each side; what they work on is destroyed with them.
struct Pair {
    std::function<void()> ours;
    std::function<void()> theirs = nullptr; // none: the goal is a time
    // After turns of both: what is wrong, or "". Collective over the world, as the turns are.
    std::function<std::string()> fault = nullptr;
    double operations = 1; // of a turn; times are those of one of them
};

struct Contest {
    std::string what, peer;
    // Our time is at most `goal` times theirs after `allowance`. Without a peer it is at most `allowance`. In us.
    double goal = 1, allowance = 0;
    std::function<Pair()> prepare;
};

// All are collective over the world, and have as many processes as it has.
std::vector<Contest> queries();
std::vector<Contest> accesses();
std::vector<Contest> loops();
std::vector<Contest> teams(); // for one process
std::vector<Contest> assignments();
std::vector<Contest> first_assignments();
std::vector<Contest> updates();
std::vector<Contest> arrays();

// Keeps what it is given for as long as a Pair needs it.
template <class T> auto keep(T &&object) { return std::make_shared<std::decay_t<T>>(std::forward<T>(object)); }

// The compiler must take the value for used.
template <class T> inline void use(const T &value) { asm volatile("" : : "g"(&value) : "memory"); }

} // namespace domain_bench
