import Testing

@testable import TapelineTransport

@Suite struct SealedOutputTests {
  @Test func whatTLSSaysForItselfIsNoPlaintext() {
    var output = SealedOutput()
    output.append(plaintext: 0, ciphertext: 300)
    let first = output.remove(100)
    let second = output.remove(200)
    #expect(first == nil)
    #expect(second == nil)
  }

  @Test func aHandshakeAheadOfPlaintextIsTakenOff() {
    var output = SealedOutput()
    output.append(plaintext: 0, ciphertext: 80)
    output.append(plaintext: 100, ciphertext: 122)
    let plain = output.remove(80 + 122)
    #expect(plain == 100)
  }

  @Test(arguments: [1, 2, 7, 50, 121])
  func theSumIsExactAndTheLastByteIsNotClaimedTooSoon(step: Int) throws {
    var output = SealedOutput()
    output.append(plaintext: 100, ciphertext: 122)
    // A ticket between two records counts as part of them.
    output.append(plaintext: 0, ciphertext: 30)
    output.append(plaintext: 1, ciphertext: 23)
    var left = 122 + 30 + 23
    var plain = 0
    while left > 0 {
      let count = min(step, left)
      left -= count
      let taken = output.remove(count)
      plain += try #require(taken)
      if left > 0 { #expect(plain < 101) }
    }
    #expect(plain == 101)
    output.append(plaintext: 0, ciphertext: 24)
    let notify = output.remove(24)
    #expect(notify == nil)
  }
}
