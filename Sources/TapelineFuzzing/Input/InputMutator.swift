/// Damages the seeds of a target, the same way in every run: for tests without libFuzzer, which learns from coverage.
package struct InputMutator {
  private let seeds: [[UInt8]]
  private let dictionary: [[UInt8]]
  private var random: SeededRandom

  /// The size of an input; longer inputs show nothing new, and take long.
  private static let sizeLimit = 4096
  private static let interestingBytes =
    Array("\r\n\t :;,=\"\\/0159aAfF-[]@%#?{}".utf8) + [0x00, 0x0B, 0x7F, 0x80, 0xA0, 0xC3, 0xFF]

  package init(seeds: [[UInt8]], dictionary: [[UInt8]], seed: UInt64) {
    precondition(!seeds.isEmpty, "there is something to damage")
    self.seeds = seeds.map { Array($0.prefix(Self.sizeLimit)) }
    self.dictionary = dictionary
    random = SeededRandom(seed: seed)
  }

  package mutating func next() -> [UInt8] {
    var input = seeds[random.next(below: seeds.count)]
    for _ in 0...random.next(below: 5) { damage(&input) }
    return Array(input.prefix(Self.sizeLimit))
  }

  private mutating func damage(_ input: inout [UInt8]) {
    let place = random.next(below: input.count + 1)
    switch random.next(below: 8) {
    case 0: input.insert(interestingByte(), at: place)
    case 1: if place < input.count { input[place] = interestingByte() }
    case 2: if place < input.count { input[place] ^= 1 << random.next(below: 8) }
    case 3: input.removeSubrange(place..<min(place + 1 + random.next(below: 8), input.count))
    case 4: input.removeSubrange(place...)
    case 5: input.insert(contentsOf: input[place..<min(place + 1 + random.next(below: 32), input.count)], at: place)
    case 6: splice(&input, at: place)
    case 7: if !dictionary.isEmpty { input.insert(contentsOf: dictionary[random.next(below: dictionary.count)], at: place) }
    default: preconditionFailure("a number below 8")
    }
  }

  private mutating func interestingByte() -> UInt8 {
    Self.interestingBytes[random.next(below: Self.interestingBytes.count)]
  }

  /// Continues the input with a part of another seed.
  private mutating func splice(_ input: inout [UInt8], at place: Int) {
    let other = seeds[random.next(below: seeds.count)]
    input.replaceSubrange(place..., with: other[random.next(below: other.count + 1)...])
  }
}
