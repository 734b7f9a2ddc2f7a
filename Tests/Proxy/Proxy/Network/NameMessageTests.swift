import TapelineCore
import TapelineBase
import TapelineTime
import Testing

@testable import TapelineProxy

@Suite("Questions for names") struct NameMessageTests {
  /// `example.com`, type A.
  private let question: [UInt8] =
    [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7] + Array("Example".utf8) + [3] + Array("com".utf8) + [0, 0, 1, 0, 1]

  private func answer(_ records: [[UInt8]], code: UInt8 = 0) -> [UInt8] {
    var bytes = question
    bytes[2] = 0x81
    bytes[3] = 0x80 | code
    bytes[7] = UInt8(records.count)
    return bytes + records.flatMap(\.self)
  }

  private let alias: [UInt8] = [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 4, 1, 0x77, 0xC0, 12]
  private let address: [UInt8] = [1, 0x77, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 7]
  private let ipv6Address: [UInt8] =
    [0xC0, 12, 0, 28, 0, 1, 0, 0, 0, 9, 0, 16, 0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]

  @Test("A question and the addresses in its answer are read")
  func answers() throws {
    let asked = try #require(NameMessage(question))
    #expect(asked.name == "example.com")
    #expect(asked.type == 1)
    #expect(!asked.isAnswer)
    let told = try #require(NameMessage(answer([alias, address, ipv6Address])))
    #expect(told.isAnswer)
    #expect(told.code == 0)
    #expect(told.addresses.map(\.description) == ["192.0.2.7", "2001:db8::9"])
    let missing = try #require(NameMessage(answer([], code: 3)))
    #expect(missing.code == 3)
    #expect(missing.addresses.isEmpty)
  }

  @Test("An answer is never read beyond its end")
  func truncated() {
    let whole = answer([alias, address, ipv6Address])
    for count in 0..<whole.count {
      let message = NameMessage(Array(whole[..<count]))
      #expect(message.map { $0.addresses.count < 2 } ?? (count < question.count))
    }
  }

  @Test("A server that cannot be reached has failed")
  func failure() throws {
    let failure = try #require(NameMessage.failure(.serverFailure, answering: question))
    let message = try #require(NameMessage(failure))
    #expect(message.isAnswer && message.code == 2 && message.addresses.isEmpty && message.name == "example.com")
    #expect(failure[..<2] == question[..<2] && failure.dropFirst(4) == question.dropFirst(4))
    #expect(NameMessage.failure(.refused, answering: [1, 2]) == nil)
    #expect(NameMessage.failure(.refused, answering: question).flatMap { NameMessage($0) }?.code == 5)
  }

  @Test("One question, and what says how to answer it, is a question; anything besides is none")
  func plainQuestions() throws {
    func isPlain(_ bytes: [UInt8]) -> Bool { NameMessage(bytes)?.isPlainQuestion ?? false }
    #expect(isPlain(question))
    let option: [UInt8] = [0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]
    var extended = question + option
    extended[11] = 1
    #expect(isPlain(extended))
    #expect(!isPlain(extended.dropLast()) && !isPlain(extended + [0]), "every byte has a meaning")
    extended += option + option
    extended[11] = 3
    #expect(!isPlain(extended))
    // An answer, an update, two questions, records, bytes behind it, none of it.
    for (place, value) in [(2, 0x81), (2, 0x28), (5, 2), (5, 0), (7, 1), (9, 1), (11, 1)] as [(Int, UInt8)] {
      var other = question
      other[place] = value
      #expect(!isPlain(other), "\(place)")
    }
    #expect(
      !isPlain(question + [0]) && !isPlain(question.dropLast()) && !isPlain([]) && !isPlain([UInt8](repeating: 0, count: 12)))
  }

  @Test("An answer has the question's id and repeats the question, in any case of its letters")
  func answersToQuestions() {
    let right = answer([address])
    #expect(NameMessage.isAnswer(right, to: question))
    #expect(NameMessage.isAnswer(answer([], code: 3), to: question))
    var capital = right
    capital[13] ^= 0x20
    #expect(NameMessage.isAnswer(capital, to: question))
    for place in [0, 1, 2, 5, 13, question.count - 1] {
      var other = right
      other[place] ^= place == 2 ? 0x80 : place == 13 ? 1 : 3
      #expect(!NameMessage.isAnswer(other, to: question), "\(place)")
    }
    #expect(!NameMessage.isAnswer(question, to: question) && !NameMessage.isAnswer([], to: question))
    #expect(!NameMessage.isAnswer(Array(right.prefix(question.count - 1)), to: question))
    // A server that cannot read the question repeats nothing.
    var header = Array(answer([], code: 1).prefix(12))
    header[5] = 0
    #expect(NameMessage.isAnswer(header, to: question))
    #expect(!NameMessage.isAnswer(header + [1], to: question))
    header[3] = 0x80
    #expect(!NameMessage.isAnswer(header, to: question))
  }

  @Test("The next connection to an address reports the lookup, once, and not much later")
  func knownNames() {
    let names = KnownNames()
    let lookup = NameLookup(name: "example.com", server: "192.0.2.53:53", nanoseconds: 5)
    let now = MonotonicInstant.now
    names.note(lookup, of: ["192.0.2.7", "192.0.2.8"], at: now)
    #expect(names.take("192.0.2.7", at: now) == lookup)
    #expect(names.take("192.0.2.7", at: now) == nil)
    #expect(names.take("192.0.2.9", at: now) == nil)
    #expect(names.take("192.0.2.8", at: now.advanced(byNanoseconds: 61_000_000_000)) == nil)
    // Rules hold for as long as programs may keep an address.
    #expect(names.name(of: "192.0.2.7") == "example.com" && names.name(of: "192.0.2.9") == nil)
    names.note(NameLookup(name: "other.example", server: "192.0.2.53:53", nanoseconds: 5), of: ["192.0.2.7"], at: now)
    #expect(names.name(of: "192.0.2.7") == "other.example")
  }

  @Test("Questions are counted; a name has failed until it gets an address")
  func questions() {
    var questions = NameQuestions()
    for _ in 0..<5 { questions.ask() }
    questions.answer("a.example", code: 0, hasAddresses: true)
    questions.answer("b.example", code: 3, hasAddresses: false)
    questions.answer("c.example", code: 2, hasAddresses: false)
    // A name may have addresses of one kind only.
    questions.answer("d.example", code: 0, hasAddresses: false)
    questions.miss("e.example")
    #expect(questions.asked == 5)
    #expect(questions.answered == 4)
    #expect(questions.failures == ["b.example": .code(3), "c.example": .code(2), "e.example": .unanswered])
    questions.answer("c.example", code: 0, hasAddresses: true)
    questions.answer(nil, code: 2, hasAddresses: false)
    #expect(questions.failures.keys.sorted() == ["b.example", "e.example"])
    for number in 0..<200 { questions.miss("\(number).example") }
    #expect(questions.failures.count == 100)
  }
}
