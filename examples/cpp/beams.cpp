// Beams of an antenna whose subarrays are wired as they are: a distribution of the program's own, assigned to a
// regular one for what needs all beams of a sample, and back. Each process checks what it owns.
#include <dri/dri.hpp>

#include <complex>
#include <iostream>
#include <vector>

/* [owner] */
// Process p forms the beams of subarray p. Which these are no rule says.
struct Wired {
    std::vector<int> subarray; // of each beam
    int owner(const dri::Index<2> &at) const { return subarray[static_cast<std::size_t>(at[0])]; }
};
/* [/owner] */

/* [local] */
// The same with lists of what each process has: a box for each of its beams.
struct Listed : Wired {
    std::vector<dri::Ranges<2>> local(int position, const dri::Ranges<2> &whole) const {
        std::vector<dri::Ranges<2>> boxes;
        for (const std::int64_t beam : whole[0])
            if (owner({beam, 0}) == position)
                boxes.emplace_back(dri::Range(beam, 1, 1), whole[1]);
        return boxes;
    }
};
/* [/local] */

using Sample = std::complex<float>;
constexpr std::int64_t beams = 49, samples = 500;

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    std::vector<int> subarray;
    for (int beam = 0; beam < beams; ++beam)
        subarray.push_back((beam * beam / 5 + beam / 3) % env.size());

    /* [domains] */
    const dri::Ranges echoes(dri::range(0, beams), dri::range(0, samples));
    const dri::Domain by_owner(dri::Map(Wired{subarray}, dri::world()), echoes);
    const dri::Domain by_list(dri::Map(Listed{{subarray}}, dri::world()), echoes);
    const dri::Domain by_sample(dri::Map<2>({dri::MapDim::whole(), dri::MapDim::block(echoes[1])}), echoes);
    /* [/domains] */

    /* [assign] */
    dri::Array<Sample, 2> received(by_owner), formed(by_list), turned(by_sample);
    dri::forall(dri::zip(by_owner, received), [](auto beam, auto sample, Sample &x) {
        x = {static_cast<float>(beam), static_cast<float>(sample)};
    });
    const dri::Path first = dri::assign(formed, received); // element by element: owners are all that is known
    const dri::Path second = dri::assign(turned, formed);  // by the lists
    /* [/assign] */

    /* [mean] */
    const auto x = turned.local(); // all beams of some samples
    for (const std::int64_t sample : x.owned()[1]) {
        Sample mean = 0;
        for (const std::int64_t beam : echoes[0])
            mean += x(beam, sample);
        mean /= static_cast<float>(beams);
        for (const std::int64_t beam : echoes[0])
            x(beam, sample) -= mean;
    }
    received = turned; // and back
    /* [/mean] */

    std::int64_t wrong = first != dri::Path::element || second != dri::Path::any;
    dri::forall(dri::zip(by_owner, received), [&wrong](auto beam, auto, const Sample &found) {
        wrong += found != Sample(static_cast<float>(beam - beams / 2), 0);
    });
    std::cout << "process " << env.rank() << ": " << by_owner.owned() / samples << " beams, " << wrong
              << " elements are wrong\n";
    return wrong > 0;
}
