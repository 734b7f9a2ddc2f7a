/// The plaintext that a queue of ciphertext represents, as a value: tells how much plaintext the kernel has taken with it.
///
/// Exact whenever the queue has run dry; in between, an estimate that never claims the last byte too soon.
struct SealedOutput: Hashable {
  /// Bytes ahead of all ciphertext that holds plaintext: the handshake's, tickets, and bytes sent before TLS.
  private var leading = 0
  private var ciphertext = 0
  private var plaintext = 0

  mutating func append(plaintext added: Int, ciphertext bytes: Int) {
    if added == 0, plaintext == 0 {
      leading += bytes
    } else {
      ciphertext += bytes
      plaintext += added
    }
  }

  /// The kernel took `count` bytes of ciphertext. Answers the plaintext in them; `nil` when they held only messages of TLS
  /// itself.
  mutating func remove(_ count: Int) -> Int? {
    let ahead = min(count, leading)
    leading -= ahead
    let taken = count - ahead
    guard taken > 0 else { return nil }
    precondition(taken <= ciphertext, "more bytes left than were sealed")
    let plain = taken == ciphertext ? plaintext : plaintext * taken / ciphertext
    ciphertext -= taken
    plaintext -= plain
    return plain
  }
}
