import Testing

@testable import TapelineBase

struct TextScannerTests {
  @Test func takesWhatIsNextAndNothingElse() {
    var scanner = TextScanner("12-3x")
    let year = scanner.takeNumber(digits: 2)
    let wrong = scanner.take("/")
    let right = scanner.take("-")
    let tooMany = scanner.takeNumber(digits: 2)
    let one = scanner.takeNumber(digits: 1)
    let rest = scanner.take("x")
    #expect(year == 12 && !wrong && right && tooMany == nil && one == 3 && rest)
    #expect(scanner.isAtEnd)
    let behind = scanner.takeNumber(digits: 1)
    #expect(behind == nil)
  }
}
