internal import TapelineBase
internal import TapelineProxy
internal import TapelineTransport

/// SOCKS from a client and from an upstream proxy: the steps do not depend on how the bytes were split, with and without a
/// password.
enum SOCKSOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    for credential in [nil, Credential(user: "me", password: "secret")] {
      let whole = handshake(input, .whole, credential)
      for segmentation in Segmentation.all(of: input) {
        try OracleViolation.requireEqual(
          handshake(input, segmentation, credential), whole, "\(segmentation) and in one piece is the same")
      }
    }
    for asksForPassword in [false, true] {
      let whole = conversation(input, .whole, asksForPassword)
      for segmentation in Segmentation.all(of: input) {
        let cut = conversation(input, segmentation, asksForPassword)
        try OracleViolation.requireEqual(cut, whole, "\(segmentation) and in one piece is the same")
      }
      for case .connect(let destination) in whole.steps {
        try OracleViolation.require(destination.port > 0 && !destination.host.isEmpty, "a client is connected to a host and port")
        try OracleViolation.require(
          destination.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a host is printable: \(destination.host.debugDescription)"
        )
      }
    }
  }

  /// The steps that a proxy's bytes lead to, up to the opening. The bytes behind that are the destination's.
  private static func handshake(
    _ input: [UInt8], _ segmentation: Segmentation, _ credential: Credential?
  ) -> [SOCKSHandshake.Step] {
    guard var handshake = SOCKSHandshake(host: "origin.test", port: 80, credential: credential) else { return [] }
    var steps: [SOCKSHandshake.Step] = []
    for range in segmentation.pieces(of: input.count) {
      handshake.receive(input.span.extracting(range))
      read: while true {
        let step = handshake.next()
        switch step {
        case .wait: break read
        case .send: steps.append(step)
        case .open: return steps + [.open(rest: [])]
        case .fail: return steps + [step]
        }
      }
    }
    return steps
  }

  private struct Conversation: Equatable {
    var steps: [SOCKSNegotiation.Step] = []
    var rest: [UInt8] = []
  }

  /// Each password is right. Steps in which we wait are left out.
  private static func conversation(
    _ input: [UInt8], _ segmentation: Segmentation, _ asksForPassword: Bool
  ) -> Conversation {
    var negotiation = SOCKSNegotiation(asksForPassword: asksForPassword)
    var conversation = Conversation()
    for range in segmentation.pieces(of: input.count) {
      negotiation.receive(input.span.extracting(range))
      read: while true {
        let step = negotiation.next()
        switch step {
        case .wait:
          break read
        case .answer:
          conversation.steps.append(step)
        case .judge:
          conversation.steps += [step, negotiation.admit()]
        case .connect:
          conversation.steps.append(step)
          break read
        case .refuse:
          // Later bytes are not read.
          conversation.steps.append(step)
          return conversation
        }
      }
    }
    conversation.rest = negotiation.takeRest()
    return conversation
  }
}

/// Questions to name servers and their answers: only a message that repeats the question is its answer.
enum NameOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let cut = SeededGenerator.cut(of: input)
    let halves = [Array(input[..<cut]), Array(input[cut...])]
    _ = NameMessage.isAnswer(halves[1], to: halves[0])
    guard let failure = NameMessage.failure(.refused, answering: input) else { return }
    guard let message = NameMessage(input) else { return }
    try OracleViolation.require(NameMessage.isAnswer(failure, to: input), "a refusal is an answer to its question")
    let answer = NameMessage(failure)
    try OracleViolation.requireEqual(answer?.name, message.name, "a refusal repeats the name")
    try OracleViolation.require(answer?.isAnswer == true && answer?.isPlainQuestion == false, "a refusal is no question")
    if !message.isAnswer {
      try OracleViolation.require(!NameMessage.isAnswer(input, to: input), "a question is not its answer")
    }
  }
}
