internal import TapelineCore
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineText
internal import TapelineTime

/// Passes the questions of a command's programs on to name servers, and their answers back, byte for byte. Loop-bound.
///
/// The server is the one that the program has asked, or the one that the user has named.
final class NameRelay {
  private let loop: EventLoop
  private let knownNames: KnownNames
  private let server: SocketAddress?
  private var sockets: [DatagramSocket] = []
  private var questions: [Int: Question] = [:]
  private var lastQuestion = 0

  /// A question that is not answered yet.
  private struct Question {
    let upstream: DatagramSocket
    let timer: Timer
  }

  /// Further questions are lost, as datagrams may be: programs ask again.
  private static let limit = 512
  /// Programs give up earlier.
  private static let patience = Duration.seconds(30)

  init(loop: EventLoop, sockets: [Int32], server: SocketAddress?, knownNames: KnownNames) throws(SystemCallError) {
    self.loop = loop
    self.server = server
    self.knownNames = knownNames
    for descriptor in sockets { try receive(on: descriptor) }
  }

  private func receive(on descriptor: Int32) throws(SystemCallError) {
    let index = sockets.count
    sockets.append(
      try DatagramSocket(loop: loop, sharing: descriptor) { [unowned self] bytes, from, to in
        pass(bytes, from: from, to: to, through: index)
      })
  }

  func close() {
    for socket in sockets { socket.close() }
    sockets = []
    for question in questions.values { end(question) }
    questions = [:]
  }

  private func pass(_ question: [UInt8], from client: SocketAddress, to asked: SocketAddress, through index: Int) {
    guard questions.count < Self.limit else { return }
    lastQuestion += 1
    let (number, began) = (lastQuestion, MonotonicInstant.now)
    let server = server ?? asked
    do throws(SystemCallError) {
      let upstream = try DatagramSocket(
        loop: loop, peer: server,
        onDatagram: { [unowned self] answer, _, _ in
          // Before the program can connect, perhaps on another loop.
          note(answer, from: server, began: began)
          // The answer comes from the address that was asked.
          sockets[index].send(answer, from: asked, to: client)
          forget(number)
        },
        onFailure: { [unowned self] in forget(number) })
      let timer = Timer(loop: loop) { [unowned self] in forget(number) }
      timer.start(after: Self.patience)
      questions[number] = Question(upstream: upstream, timer: timer)
      upstream.send(question)
    } catch {
      // The program asks again, or another server.
    }
  }

  private func note(_ answer: [UInt8], from server: SocketAddress, began: MonotonicInstant) {
    guard let message = NameMessage(answer), message.isAnswer, !message.addresses.isEmpty else { return }
    let now = MonotonicInstant.now
    let lookup = NameLookup(name: message.name, server: server.description, nanoseconds: now.nanoseconds(since: began))
    let addresses = message.addresses.map(\.description)
    knownNames.note(lookup, of: addresses, at: now)
  }

  private func forget(_ number: Int) {
    if let question = questions.removeValue(forKey: number) { end(question) }
  }

  private func end(_ question: Question) {
    question.timer.cancel()
    question.upstream.close()
  }
}
