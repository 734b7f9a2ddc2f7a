internal import TapelineBase

/// Damages the seeds of a target, the same way in every run: for tests without libFuzzer, which learns from coverage.
package struct InputMutator {
  private let seeds: [[UInt8]]
  private let dictionary: [[UInt8]]
  private var random: SeededGenerator

  /// The size of an input; longer inputs show nothing new, and take long.
  private static let sizeLimit = 4096
  private static let interestingBytes =
    Array("\r\n\t :;,=\"\\/0159aAfF-[]@%#?{}".utf8) + [0x00, 0x0B, 0x7F, 0x80, 0xA0, 0xC3, 0xFF]

  package init(seeds: [[UInt8]], dictionary: [[UInt8]], seed: UInt64) {
    precondition(!seeds.isEmpty, "there is something to damage")
    self.seeds = seeds.map { Array($0.prefix(Self.sizeLimit)) }
    self.dictionary = dictionary
    random = SeededGenerator(seed: seed)
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

/// Words of a grammar, in the format of libFuzzer and AFL: one `"word"` in each line, with `\\`, `\"` and `\xNN`.
package struct FuzzDictionary {
  package let words: [[UInt8]]

  package init(_ text: String) throws(OracleViolation) {
    var words: [[UInt8]] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let word = Self.word(Array(line.utf8)[...]) else { throw OracleViolation("no word of a dictionary: \(line)") }
      words.append(word)
    }
    self.words = words
  }

  private static func word(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    guard line.count > 2, line.first == quote, line.last == quote else { return nil }
    var rest = line.dropFirst().dropLast()
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        word.append(byte)
        continue
      }
      switch rest.popFirst() {
      case let escaped? where escaped == quote || escaped == UInt8(ascii: "\\"): word.append(escaped)
      case UInt8(ascii: "x"):
        guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
        word.append(value)
        rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return word
  }
}

extension SeededGenerator {
  /// A place to cut an input, the same for the same input.
  static func cut(of input: [UInt8]) -> Int {
    var generator = SeededGenerator(naming: input)
    return generator.next(below: input.count + 1)
  }
}
