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
    /// `nil` if it cannot be read.
    let name: String?
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
    for number in questions.keys.sorted() { giveUp(number) }
  }

  private func pass(_ question: [UInt8], from client: SocketAddress, to asked: SocketAddress, through index: Int) {
    let name = NameMessage(question)?.name
    knownNames.count { $0.ask() }
    guard questions.count < Self.limit else { return knownNames.count { $0.miss(name) } }
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
        onFailure: { [unowned self] in
          refuse(question, of: client, to: asked, through: index)
          giveUp(number)
        })
      let timer = Timer(loop: loop) { [unowned self] in giveUp(number) }
      timer.start(after: Self.patience)
      questions[number] = Question(name: name, upstream: upstream, timer: timer)
      upstream.send(question)
    } catch {
      refuse(question, of: client, to: asked, through: index)
      knownNames.count { $0.miss(name) }
    }
  }

  /// The kernel would tell the program at once that the server cannot be reached, and the program would ask another. It cannot be
  /// told so from here, but that the server has failed, upon which it does the same.
  private func refuse(_ question: [UInt8], of client: SocketAddress, to asked: SocketAddress, through index: Int) {
    if let answer = NameMessage.failure(answering: question) { sockets[index].send(answer, from: asked, to: client) }
  }

  private func note(_ answer: [UInt8], from server: SocketAddress, began: MonotonicInstant) {
    let message = NameMessage(answer)
    knownNames.count {
      $0.answer(message?.name, code: message?.code ?? 0, hasAddresses: message?.addresses.isEmpty == false)
    }
    guard let message, message.isAnswer, !message.addresses.isEmpty else { return }
    let now = MonotonicInstant.now
    let lookup = NameLookup(name: message.name, server: server.description, nanoseconds: now.nanoseconds(since: began))
    let addresses = message.addresses.map(\.description)
    knownNames.note(lookup, of: addresses, at: now)
  }

  /// No answer comes.
  private func giveUp(_ number: Int) {
    if let question = questions[number] { knownNames.count { $0.miss(question.name) } }
    forget(number)
  }

  private func forget(_ number: Int) {
    guard let question = questions.removeValue(forKey: number) else { return }
    question.timer.cancel()
    question.upstream.close()
  }
}
