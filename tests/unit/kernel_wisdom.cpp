// Wisdom as text: what is written, read and refused.
#include "kernel_cases.hpp"

#include "base/error.hpp"
#include "kernel/table.hpp"
#include "kernel/wisdom.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using dri::kernel::Choice;
using dri::kernel::Isa;
using dri::kernel::Shape;
using dri::kernel::Wisdom;
using dri::plan::StridedCopy;

namespace {

const std::string head_line = "dri-wisdom 1\n";
const std::string machine_text = "avx512 l2 1048576 l3 33554432 threads 1 written 4194304 copy ";
const std::string turn_text = "8B @0->@16 x[512: 8->4096] x[512: 4096->8]";
const std::string good_line = machine_text + turn_text + " = elements scalar cached";

// An independent parser for a line, for this test only.
struct WisdomLine {
    std::string isa, kernel;
    std::vector<int64_t> numbers; // l2, l3, threads, written, run, offsets, then count and strides of each loop
    std::string conversion;
};

WisdomLine parse_line(const std::string &line) {
    static const std::regex form(
        R"((\w+) l2 (\d+) l3 (\d+) threads (\d+) written (\d+) copy (\d+)B( [^@]\S*)? @(\d+)->@(\d+))"
        R"(((?: x\[\d+: -?\d+->\d+\])*) = (.+))");
    static const std::regex number(R"(-?\d+(?!->\[))");
    std::smatch m;
    EXPECT_TRUE(std::regex_match(line, m, form)) << line;
    if (m.empty())
        return {};
    WisdomLine parsed{m[1], m[11], {}, m[7]};
    for (const int i : {2, 3, 4, 5, 6, 8, 9})
        parsed.numbers.push_back(std::stoll(m[static_cast<size_t>(i)]));
    std::string loops = m[10];
    static const std::regex loop(R"(x\[(\d+): (-?\d+)->(\d+)\])");
    for (std::sregex_iterator l(loops.begin(), loops.end(), loop), end; l != end; ++l)
        for (size_t i = 1; i <= 3; ++i)
            parsed.numbers.push_back(std::stoll((*l)[i]));
    return parsed;
}

std::vector<int64_t> numbers_of_shape(const Shape &s) {
    std::vector<int64_t> numbers{s.caches.second,  s.caches.outermost, s.threads,        s.written_bytes,
                                 s.copy.run_bytes, s.copy.src_offset,  s.copy.dst_offset};
    for (const dri::plan::Loop &l : s.copy.loops)
        numbers.insert(numbers.end(), {l.count, l.src_stride, l.dst_stride});
    return numbers;
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

Shape random_shape(kernel_cases::Random &random) {
    const auto loops = static_cast<size_t>(kernel_cases::between(random, 0, 4));
    StridedCopy copy = kernel_cases::random_copy(random, 8 * kernel_cases::between(random, 1, 40), loops, 1 << 20);
    if (kernel_cases::between(random, 0, 3) == 0)
        copy.conversion = {dri::Scalar::int16, dri::Scalar::float32,
                           kernel_cases::between(random, 0, 1) ? 0.1 : 1};
    if (copy.conversion)
        for (dri::plan::Loop &l : copy.loops)
            l.dst_stride *= 2;
    copy.src_offset = kernel_cases::between(random, 0, 1 << 20);
    copy.dst_offset = kernel_cases::between(random, 0, 1 << 20);
    copy = dri::plan::canonical(copy);
    const auto address = [&] { return static_cast<uintptr_t>(kernel_cases::between(random, 0, 1 << 30)); };
    return dri::kernel::shape_of(copy, address(), address(), dri::plan::copy_bytes(copy), dri::kernel::best_isa());
}

// A kernel for the best instruction set that this library was built for.
std::string built_kernel(const std::string &name) {
    for (const dri::kernel::Kernel &k : dri::kernel::kernels())
        if (k.name == name)
            return name + " " + dri::kernel::isa_name(k.isa);
    return "none";
}

void expect_refused(const std::string &text, int code, const std::vector<std::string> &words) {
    Wisdom wisdom;
    wisdom.merge(head_line + good_line + "\n");
    const std::string before = wisdom.to_text();
    try {
        wisdom.merge(text);
        ADD_FAILURE() << "taken: " << text;
    } catch (const dri::Error &error) {
        EXPECT_EQ(error.code(), code) << error.what();
        for (const std::string &word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
    }
    EXPECT_EQ(wisdom.to_text(), before) << "nothing of a wrong text is imported";
}

} // namespace

TEST(Wisdom, IsWrittenAndReadUnchanged) {
    kernel_cases::Random random(21);
    for (int round = 0; round < 200 && !testing::Test::HasFailure(); ++round) {
        const Shape shape = random_shape(random);
        const Choice choice = dri::kernel::model_choice(shape.copy, shape.isa, shape.written_bytes, shape.caches);
        Wisdom wisdom;
        wisdom.learn(shape, choice);
        const auto lines = lines_of(wisdom.to_text());
        ASSERT_EQ(lines.size(), 2u);
        EXPECT_EQ(lines[0] + "\n", head_line);
        const WisdomLine line = parse_line(lines[1]);
        EXPECT_EQ(line.isa, dri::kernel::isa_name(shape.isa));
        EXPECT_EQ(line.numbers, numbers_of_shape(shape));
        EXPECT_EQ(line.kernel, dri::kernel::to_text(choice));
        const bool scaled = shape.copy.conversion && shape.copy.conversion.scale != 1;
        EXPECT_EQ(line.conversion, !shape.copy.conversion ? "" : scaled ? " int16->float*0.1" : " int16->float");
        for (const int64_t offset : {shape.copy.src_offset, shape.copy.dst_offset}) {
            EXPECT_GE(offset, 0);
            EXPECT_LT(offset, 64);
        }
        Wisdom copy;
        copy.merge(wisdom.to_text());
        EXPECT_EQ(copy.to_text(), wisdom.to_text());
        EXPECT_EQ(copy.find(shape), choice);
    }
}

// Machines of several kinds may share a file, so each line is checked on a processor that may lack its instruction
// set.
TEST(Wisdom, TakesLinesOfEveryInstructionSet) {
    const std::vector<std::string> copies = {turn_text,
                                             "4B @0->@0 x[2: 4->4096] x[1024: 8->4]",
                                             "4B @0->@0 x[4096: 8->4]",
                                             "48B @0->@0 x[64: 4096->48] x[64: 48->4096]",
                                             "4096B @0->@0 x[16: 8192->4096]",
                                             "4096B int16->float @0->@0",
                                             "2B int16->float @0->@0 x[512: 2->2048] x[512: 1024->4]"};
    std::set<std::string> taken;
    for (const dri::kernel::Kernel &k : dri::kernel::kernels())
        for (const std::string &copy : copies) {
            const std::string isa = dri::kernel::isa_name(k.isa);
            const std::string line = isa + " l2 1048576 l3 33554432 threads 1 written 4194304 copy " + copy +
                                     " = " + k.name + " " + isa + " cached";
            Wisdom wisdom;
            try {
                wisdom.merge(head_line + line + "\n");
            } catch (const dri::Error &) {
                continue; // the kernel does not fit
            }
            EXPECT_EQ(wisdom.to_text(), head_line + line + "\n");
            taken.insert(std::string(k.name) + " " + isa);
        }
    for (const dri::kernel::Kernel &k : dri::kernel::kernels())
        EXPECT_TRUE(taken.contains(std::string(k.name) + " " + dri::kernel::isa_name(k.isa)))
            << k.name << " " << dri::kernel::isa_name(k.isa);
}

TEST(Wisdom, ShapesKeepOnlyTheAlignment) {
    const StridedCopy copy{8, 1000, 72, {{64, 8, 512}, {64, 512, 8}}};
    const Shape shape = dri::kernel::shape_of(copy, 4096 + 8, 16, 32768, Isa::avx2);
    EXPECT_EQ(shape.copy.src_offset, (1000 + 8) % 64);
    EXPECT_EQ(shape.copy.dst_offset, (72 + 16) % 64);
    EXPECT_EQ(dri::kernel::to_text(shape),
              dri::kernel::to_text(dri::kernel::shape_of(copy, 8 + 640, 16 + 64, 32768, Isa::avx2)));
    EXPECT_NE(dri::kernel::to_text(shape),
              dri::kernel::to_text(dri::kernel::shape_of(copy, 8, 24, 32768, Isa::avx2)));
    EXPECT_NE(dri::kernel::to_text(shape),
              dri::kernel::to_text(dri::kernel::shape_of(copy, 8, 16, 32769, Isa::avx2)));
    EXPECT_NE(dri::kernel::to_text(shape),
              dri::kernel::to_text(dri::kernel::shape_of(copy, 8, 16, 32768, Isa::sse4)));
}

TEST(Wisdom, MergingAddsAndReplaces) {
    Wisdom wisdom;
    EXPECT_EQ(wisdom.to_text(), head_line);
    wisdom.merge(head_line);
    wisdom.merge("dri-wisdom 1");
    const std::string other =
        machine_text + "8B @0->@24 x[512: 8->4096] x[512: 4096->8] = elements scalar fetched";
    wisdom.merge(head_line + good_line + "\n" + other); // the last line may lack its newline
    EXPECT_EQ(wisdom.to_text(), head_line + good_line + "\n" + other + "\n");
    const std::string changed = machine_text + turn_text + " = elements scalar streaming";
    wisdom.merge(head_line + changed + "\n");
    EXPECT_EQ(wisdom.to_text(), head_line + changed + "\n" + other + "\n");
    wisdom.merge(head_line + changed + "\n" + good_line + "\n");
    EXPECT_EQ(wisdom.to_text(), head_line + good_line + "\n" + other + "\n")
        << "within a text the last line is valid";
}

// Some editors and systems end lines that way.
TEST(Wisdom, LinesMayEndWithACarriageReturn) {
    const std::string head = head_line.substr(0, head_line.size() - 1);
    for (const std::string end : {"\r\n", "\r", "\n", ""}) {
        Wisdom wisdom;
        wisdom.merge(head + end);
        EXPECT_EQ(wisdom.to_text(), head_line);
        wisdom.merge(head + "\r\n" + good_line + end);
        EXPECT_EQ(wisdom.to_text(), head_line + good_line + "\n") << "the stored text has no carriage return";
    }
    expect_refused("dri-wisdom\r 1\n", DRI_ERR_ARG, {"line 1"});
    expect_refused("dri-wisdom 1\r\r\n", DRI_ERR_UNSUPPORTED, {"version"});
    expect_refused(head_line + good_line + "\r\r\n", DRI_ERR_ARG, {"line 2"});
    expect_refused(head_line + "\r" + good_line + "\n", DRI_ERR_ARG, {"line 2"});
    expect_refused(head + "\r" + good_line + "\r", DRI_ERR_UNSUPPORTED, {"version"});
    expect_refused(head_line + "\r\n", DRI_ERR_ARG, {"line 2", "' = '"});
}

TEST(Wisdom, OfAnotherMachineIsKeptButNotUsed) {
    const StridedCopy copy{8, 0, 16, {{512, 8, 4096}, {512, 4096, 8}}};
    Shape shape{copy, 4194304, Isa::avx512, {1048576, 33554432}};
    Wisdom wisdom;
    wisdom.merge(head_line + good_line + "\n");
    ASSERT_TRUE(wisdom.find(shape));
    EXPECT_STREQ(wisdom.find(shape)->kernel->name, "elements");
    Shape other = shape;
    other.caches.second = 2097152;
    EXPECT_FALSE(wisdom.find(other));
    other = shape;
    other.isa = Isa::avx2;
    EXPECT_FALSE(wisdom.find(other));
    other = shape;
    other.threads = 2;
    EXPECT_FALSE(wisdom.find(other));
    EXPECT_EQ(wisdom.to_text(), head_line + good_line + "\n");
}

TEST(Wisdom, WrongTextsAreRefused) {
    const int arg = DRI_ERR_ARG;
    expect_refused("", arg, {"line 1", "dri-wisdom 1"});
    expect_refused("fftw-3.3\n", arg, {"line 1", "fftw-3.3"});
    expect_refused("dri-wisdom\n", arg, {"line 1"});
    expect_refused("dri-wisdom 2\n", DRI_ERR_UNSUPPORTED, {"version '2'", "version 1"});
    expect_refused("dri-wisdom 1 \n", DRI_ERR_UNSUPPORTED, {"version '1 '"});
    expect_refused("dri-wisdom \n", DRI_ERR_UNSUPPORTED, {"version ''"});
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"", "' = '"},
        {good_line + " ", "'cached'"},
        {" " + good_line, "avx512"},
        {machine_text + turn_text, "' = '"},
        {machine_text + turn_text + " = ", "a kernel"},
        {machine_text + turn_text + " = scalar cached", "a kernel"},
        {machine_text + turn_text + " = magic scalar cached", "'magic'"},
        {machine_text + turn_text + " = elements mmx cached", "'mmx'"},
        {machine_text + turn_text + " = elements scalar flying", "'flying'"},
        {machine_text + turn_text + " = " + built_kernel("long runs") + " cached", "does not fit"},
        {"avx1024" + machine_text.substr(6) + turn_text + " = elements scalar cached", "'avx1024'"},
        {"sse4" + machine_text.substr(6) + turn_text + " = transpose avx2 cached", "needs more than sse4"},
        {"avx512 l2 -1 l3 33554432 threads 1 written 4194304 copy " + turn_text + " = elements scalar cached",
         "l2 -1"},
        {"avx512 l2 99 l3 98 threads 1 written 4194304 copy " + turn_text + " = elements scalar cached", "l3 98"},
        {"avx512 l2 1 l3 1 threads 0 written 4194304 copy " + turn_text + " = elements scalar cached",
         "threads 0"},
        {"avx512 l2 1 l3 1 threads 1 written 1 copy " + turn_text + " = elements scalar cached", "written 1"},
        {"avx512 l2 01 l3 1 threads 1 written 4194304 copy " + turn_text + " = elements scalar cached", "l2 01"},
        {"avx512 l2 1 l3 1 threads 99999999999 written 1 copy " + turn_text + " = elements scalar cached",
         "99999999999"},
        {machine_text + "8B @0->@64 x[512: 8->4096] = elements scalar cached", "@64"},
        {machine_text + "8B @-8->@0 x[512: 8->4096] = elements scalar cached", "@-8"},
        {machine_text + "0B @0->@0 = elements scalar cached", "0B"},
        {machine_text + "-8B @0->@0 = elements scalar cached", "-8B"},
        {machine_text + "8B @0->@0 x[0: 8->16] = elements scalar cached", "[0: "},
        {machine_text + "8B @0->@0 x[1: 8->16] = elements scalar cached", "[1: "},
        {machine_text + "8B @0->@0 x[4: 8->8] = elements scalar cached", "8->8"},                 // one run
        {machine_text + "8B @0->@0 x[4: 8->16] x[4: 32->64] = elements scalar cached", "32->64"}, // one loop
        {machine_text + "8B @0->@0 x[4: 8->-16] = elements scalar cached", "-16"},
        {machine_text + "8B @0->@0 x[4: 8->0] = elements scalar cached", "8->0"},
        {machine_text + "8B @0->@0 x[4: 8->16 = elements scalar cached", "']'"},
        {machine_text + "8B @0->@0 x[4: 8->16]] = elements scalar cached", "' x['"},
        {machine_text + "8B @0->@0 x[4: 8->16] x{2 of 2} = elements scalar cached", "' x['"},
        {machine_text + "8B @0->@0 x[2: 9223372036854775807->16] = elements scalar cached", "64 bits"},
        {machine_text + "8B @0->@0 x[2: -9223372036854775808->16] = elements scalar cached", "64 bits"},
        {machine_text + "8B @0->@0 x[4: 99999999999999999999->16] = elements scalar cached", "number"},
        {machine_text + "9223372036854775807B @0->@0 x[2: 8->9223372036854775807] = elements scalar cached",
         "64 bits"},
        {machine_text + "8B int16->int16 @0->@0 = reference scalar cached", "int16->int16"},
        {machine_text + "8B int16->text @0->@0 = reference scalar cached", "'text'"},
        {machine_text + "8B none->float @0->@0 = reference scalar cached", "'none"},
        {machine_text + "7B int16->float @0->@0 = reference scalar cached", "7B"},
        {machine_text + "8B int16->float*inf @0->@0 = reference scalar cached", "inf"},
        {machine_text + "8B int16->float*1 @0->@0 = reference scalar cached", "int16->float"},
        {machine_text + "8B int16->float @0->@0 x[4: 8->32] = elements scalar cached", "does not fit"},
        {std::string(1 << 16, 'x') + " = elements scalar cached", "xxx"},
    };
    for (const auto &[line, word] : wrong) {
        expect_refused(head_line + line + "\n", arg, {"line 2", word});
        expect_refused(fmt::format("{0}{1}\n{2}\n{1}\n", head_line, good_line, line), arg, {"line 3", word});
    }
    std::string loops;
    for (int64_t i = 0; i < 30; ++i)
        loops += fmt::format(" x[2: {}->{}]", int64_t{1} << (i + 20), int64_t{1} << (60 - i));
    expect_refused(head_line + machine_text + "8B @0->@0" + loops + " = elements scalar cached\n", arg,
                   {"line 2", "loops"});
}

// A text with any byte changed is refused, or is valid wisdom that is written back unchanged.
TEST(Wisdom, ChangedTextsAreRefusedOrValid) {
    kernel_cases::Random random(22);
    const std::string text = head_line + good_line + "\n";
    int taken = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string changed = text;
        for (int64_t n = kernel_cases::between(random, 1, 2); n > 0; --n) {
            const auto at = static_cast<size_t>(kernel_cases::between(random, 0, std::ssize(changed) - 1));
            const std::string letters = "0123456789 -@x[]:>=\nab";
            changed[at] = letters[static_cast<size_t>(kernel_cases::between(random, 0, std::ssize(letters) - 1))];
        }
        Wisdom wisdom;
        try {
            wisdom.merge(changed);
            ++taken;
            EXPECT_EQ(wisdom.to_text(), changed.back() == '\n' ? changed : changed + "\n");
        } catch (const dri::Error &error) {
            EXPECT_TRUE(error.code() == DRI_ERR_ARG || error.code() == DRI_ERR_UNSUPPORTED) << error.what();
            EXPECT_EQ(wisdom.to_text(), head_line);
        }
    }
    EXPECT_GT(taken, 0);
}
