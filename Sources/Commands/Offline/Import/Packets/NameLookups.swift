internal import TapelineCore
internal import TapelineBase
internal import TapelineTime

/// A name that a client looked up.
struct PacketLookup {
  let name: String
  /// The name server's address and port.
  let server: String
  let asked: MonotonicInstant
  let answered: MonotonicInstant

  var facts: NameLookup {
    NameLookup(name: name, server: server, nanoseconds: answered.nanoseconds(since: asked))
  }
}

/// Finds the lookup that led a client to an address, in the packets of DNS (RFC 1035).
struct NameLookups {
  private struct Question: Hashable {
    let client: String
    let id: String
    let name: String
  }

  private struct Destination: Hashable {
    let client: String
    let address: String
  }

  private var asked: [Question: MonotonicInstant] = [:]
  private var answers: [Destination: PacketLookup] = [:]

  /// More are not remembered: they are forgotten all together.
  private static let limit = 65_536

  /// Takes a packet with a question or an answer.
  mutating func take(_ row: PacketRow) {
    if asked.count > Self.limit { asked = [:] }
    if answers.count > Self.limit { answers = [:] }
    let (source, destination) = row.addresses
    let isAnswer = row.text(.dnsIsAnswer) == "1" || row.text(.dnsIsAnswer) == "True"
    let question = Question(client: isAnswer ? destination : source, id: row.text(.dnsID), name: row.text(.dnsName))
    guard isAnswer else {
      if asked[question] == nil { asked[question] = row.time }
      return
    }
    guard let start = asked.removeValue(forKey: question) else { return }
    let server = Authority.text(host: source, port: UInt16(exactly: row.number(.dnsPort) ?? 53) ?? 53)
    let lookup = PacketLookup(name: question.name, server: server, asked: start, answered: row.time)
    for address in row.texts(.dnsV4) + row.texts(.dnsV6) {
      answers[Destination(client: destination, address: address)] = lookup
    }
  }

  /// The lookup that led to a new connection; only the first connection after it has it.
  mutating func takeLookup(of client: String, to address: String) -> PacketLookup? {
    answers.removeValue(forKey: Destination(client: client, address: address))
  }
}

extension PacketRow {
  /// The addresses of the sender and the receiver.
  var addresses: (source: String, destination: String) {
    has(.sourceV4) ? (text(.sourceV4), text(.destinationV4)) : (text(.sourceV6), text(.destinationV6))
  }
}
