internal import TapelineCore
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime

/// Passes the questions of a command's programs on to name servers, and their answers back, byte for byte. Loop-bound.
///
/// The server is the one that the program has asked, as far as the rules let it reach that, or the one that the user has named.
/// Nothing passes but a question, and the answer to it.
final class NameRelay {
  private let loop: EventLoop
  private let knownNames: KnownNames
  private let server: SocketAddress?
  private let access: AccessPolicy
  private var sockets: [DatagramSocket] = []
  private var questions: [Int: Question] = [:]
  private var lastQuestion = 0

  /// A question that is not answered yet.
  private struct Question {
    let name: String
    let upstream: DatagramSocket
    let timer: Timer
  }

  /// Further questions are lost, as datagrams may be: programs ask again.
  private static let limit = 512
  /// Programs give up earlier.
  private static let patience = Duration.seconds(30)

  /// - Parameter server: whom to ask, whomever the program asks; the user has named it, so that no rule is asked.
  init(
    loop: EventLoop, sockets: [Int32], server: SocketAddress?, access: AccessPolicy, knownNames: KnownNames
  ) throws(SystemCallError) {
    self.loop = loop
    self.access = access
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
    guard let message = NameMessage(question), message.isPlainQuestion else { return knownNames.count { $0.refuse() } }
    let name = message.name
    knownNames.count { $0.ask() }
    guard server != nil || access.permitsQuestion(about: name, to: asked) else {
      knownNames.count { $0.deny(name) }
      return answer(.refused, to: question, of: client, for: asked, through: index)
    }
    guard questions.count < Self.limit else { return knownNames.count { $0.miss(name) } }
    lastQuestion += 1
    let (number, began) = (lastQuestion, MonotonicInstant.now)
    let server = server ?? asked
    do throws(SystemCallError) {
      let upstream = try DatagramSocket(
        loop: loop, peer: server,
        onDatagram: { [unowned self] answer, _, _ in
          // The answer may still come.
          guard NameMessage.isAnswer(answer, to: question) else { return knownNames.count { $0.refuse() } }
          // Before the program can connect, perhaps on another loop.
          note(answer, from: server, began: began)
          // The answer comes from the address that was asked.
          sockets[index].send(answer, from: asked, to: client)
          forget(number)
        },
        onFailure: { [unowned self] in
          self.answer(.serverFailure, to: question, of: client, for: asked, through: index)
          giveUp(number)
        })
      let timer = Timer(loop: loop) { [unowned self] in giveUp(number) }
      timer.start(after: Self.patience)
      questions[number] = Question(name: name, upstream: upstream, timer: timer)
      upstream.send(question)
    } catch {
      answer(.serverFailure, to: question, of: client, for: asked, through: index)
      knownNames.count { $0.miss(name) }
    }
  }

  /// The kernel would tell the program at once that a server cannot be reached, and the program would ask another. It cannot be
  /// told so from here, but that the server has failed, or refuses, upon which it does the same.
  private func answer(
    _ failure: NameMessage.Failure, to question: [UInt8], of client: SocketAddress, for asked: SocketAddress, through index: Int
  ) {
    if let answer = NameMessage.failure(failure, answering: question) { sockets[index].send(answer, from: asked, to: client) }
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
