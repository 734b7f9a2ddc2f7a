package import TapelineSystem
package import TapelineTime

/// Connects to a host: looks its name up unless it is a literal, and races its addresses (Happy Eyeballs, RFC 8305).
/// Loop-bound; lives until it has completed or is cancelled.
package final class Connector {
  package typealias Configuration = HappyEyeballs.Configuration

  package enum Result: ~Copyable {
    /// `statistics`: what the kernel said of the connection when it stood, if it was asked.
    case connected(FileDescriptor, peer: SocketAddress, statistics: TCPStatistics?)
    case failed(LoopError)
  }

  /// The marks are `dnsStart`, `dnsEnd` (not for literals), `connectStart` (the first SYN), `connectEnd` (only when connected).
  package typealias Completion = (consuming Result, TimelineMarks) -> Void

  private let loop: EventLoop
  private let resolver: Resolver
  private let host: String
  private let port: UInt16
  private let configuration: Configuration
  private let admits: ((SocketAddress) -> Bool)?
  private var marks = TimelineMarks()
  private var completion: Completion?
  private var lookup: Lookup?
  private var race: HappyEyeballs.StateMachine?
  private var attempts: [ConnectionAttempt] = []
  private var timer: Timer?

  /// - Parameter admits: whether an address of the host may be tried; the other addresses get no packet. It checks the addresses
  ///   after the lookup, so that no name can bypass it.
  package init(
    loop: EventLoop, resolver: Resolver, host: String, port: UInt16, configuration: Configuration = Configuration(),
    admits: ((SocketAddress) -> Bool)? = nil
  ) {
    loop.preconditionCurrent()
    self.loop = loop
    self.resolver = resolver
    self.host = host
    self.port = port
    self.configuration = configuration
    self.admits = admits
  }

  /// Starts. `completion` is called once, on the loop, never inside this call, and not after `cancel()`.
  package func start(_ completion: @escaping Completion) {
    loop.preconditionCurrent()
    precondition(self.completion == nil && race == nil, "a connector is started once")
    self.completion = completion
    if let literal = SocketAddress(literal: host, port: port) { return connect(to: [literal]) }
    marks.stamp(.dnsStart, at: .now)
    // From here on the lookup, then the attempts and the timer hold this connector.
    lookup = resolver.resolve(host, port: port, on: loop) { [self] result in didResolve(result) }
  }

  /// Cancels, and closes everything that was started. Idempotent.
  package func cancel() {
    loop.preconditionCurrent()
    completion = nil
    end()
  }

  private func didResolve(_ result: Swift.Result<[SocketAddress], LoopError>) {
    marks.stamp(.dnsEnd, at: .now)
    switch result {
    case .success(let addresses): connect(to: HappyEyeballs.order(addresses))
    case .failure(let error): complete(.failed(error))
    }
  }

  // MARK: The race

  private func connect(to found: [SocketAddress]) {
    let addresses = admits.map { found.filter($0) } ?? found
    guard !addresses.isEmpty || found.isEmpty else { return refuse(found) }
    attempts = addresses.enumerated().map { index, address in
      ConnectionAttempt(loop: loop, address: address) { [self] result in attempt(index, didEnd: result) }
    }
    race = HappyEyeballs.StateMachine(count: addresses.count, configuration: configuration)
    perform(race?.begin(at: .now) ?? [])
  }

  /// Runs from the loop, like every other end: a completion never comes from inside `start`.
  private func refuse(_ addresses: [SocketAddress]) {
    loop.enqueueLocal { [self] in
      complete(.failed(LoopError(.prohibited(addresses), "no address of \(host) may be tried")))
    }
  }

  private func attempt(_ index: Int, didEnd result: Swift.Result<Void, LoopError>) {
    switch result {
    case .success:
      marks.stamp(.connectEnd, at: attempts[index].established ?? .now)
      perform(race?.didConnect(index) ?? [])
    case .failure(let error):
      perform(race?.didFail(index, with: error, at: .now) ?? [])
    }
  }

  private func perform(_ actions: [HappyEyeballs.StateMachine.Action]) {
    for action in actions {
      switch action {
      case .start(let index): start(index)
      case .abandon(let index): attempts[index].abandon()
      case .wake(let instant): wake(at: instant)
      case .succeed(let index):
        let winner = attempts[index]
        complete(.connected(winner.takeDescriptor(), peer: winner.address, statistics: winner.statistics))
      case .fail(let error): complete(.failed(error))
      }
    }
  }

  private func wake(at instant: MonotonicInstant) {
    // An attempt that has been answered ends in this turn.
    guard !attempts.contains(where: \.isAnswered) else { return }
    let timer = timer ?? Timer(loop: loop) { [self] in perform(race?.timeHasPassed(at: .now) ?? []) }
    timer.start(at: instant)
    self.timer = timer
  }

  private func start(_ index: Int) {
    let instant = MonotonicInstant.now
    do throws(LoopError) {
      marks.stamp(.connectStart, at: try attempts[index].start())
    } catch {
      marks.stamp(.connectStart, at: instant)
      // Runs from the loop, like every other end: a completion never comes from inside `start`.
      loop.enqueueLocal { [self] in attempt(index, didEnd: .failure(error)) }
    }
  }

  private func complete(_ result: consuming Result) {
    guard let completion else { return }
    self.completion = nil
    end()
    completion(result, marks)
  }

  /// Breaks the cycles that kept this alive.
  private func end() {
    lookup?.cancel()
    lookup = nil
    race = nil
    timer = nil
    for attempt in attempts { attempt.abandon() }
    attempts = []
  }
}

/// A socket that is being connected. Loop-bound.
final class ConnectionAttempt {
  let loop: EventLoop
  let address: SocketAddress
  private let onEnd: (Result<Void, LoopError>) -> Void
  private var descriptor: FileDescriptor?
  private var registration: EventRegistration?
  private var opening: Opening?
  /// Whether the connection stood when the call that opened it returned.
  var isAnswered: Bool { opening?.isAnswered ?? false }
  /// When the connection was established; `nil` before.
  private(set) var established: MonotonicInstant?
  /// The kernel's last figures.
  private(set) var statistics: TCPStatistics?

  init(loop: EventLoop, address: SocketAddress, onEnd: @escaping (Result<Void, LoopError>) -> Void) {
    self.loop = loop
    self.address = address
    self.onEnd = onEnd
  }

  deinit {
    assert(descriptor == nil, "an attempt to connect was dropped without being abandoned")
  }

  /// Sends the first SYN and says when it left. `onEnd` comes later from the loop, unless this throws.
  func start() throws(LoopError) -> MonotonicInstant {
    do throws(SystemCallError) {
      let socket = try SystemCalls.makeSocket(isIPv6: address.family == .ipv6)
      descriptor = FileDescriptor(owning: socket)
      try SystemCalls.setNoDelay(socket)
      if loop.clock == .wire { SystemCalls.stampArrivals(on: socket) }
      let called = MonotonicInstant.now
      _ = try SystemCalls.connect(socket, to: address)
      let opening = Opening(called: called, returned: .now, roundTrip: roundTrip(of: socket))
      self.opening = opening
      if opening.isAnswered {
        // The kernel has said that the connection stands. It need not be asked to tell us so.
        loop.enqueueLocal { [self] in didConnect() }
      } else {
        registration = EventRegistration(writable: socket, for: self)
        registration?.add()
      }
      return opening.sent
    } catch {
      abandon()
      throw failure(error)
    }
  }

  /// Closes the socket; nothing is reported after that. Idempotent.
  func abandon() {
    registration = nil
    descriptor.take()?.discard()
  }

  /// Hands over the connected socket.
  func takeDescriptor() -> FileDescriptor {
    registration = nil
    guard let descriptor = descriptor.take() else {
      preconditionFailure("a connection was taken that does not stand")
    }
    return descriptor
  }

  func didBecomeWritable() {
    guard let socket = descriptor?.rawValue else { return }
    registration = nil
    do throws(SystemCallError) {
      try SystemCalls.checkConnected(socket)
    } catch {
      abandon()
      return onEnd(.failure(failure(error)))
    }
    didConnect()
  }

  private func didConnect() {
    guard let socket = descriptor?.rawValue else { return }
    established = opening?.answered(notAfter: .now, roundTrip: roundTrip(of: socket))
    OpenedConnections.note(address.reached)
    onEnd(.success(()))
  }

  /// To be asked for before bytes are sent, whose round trips would have a part in it.
  private func roundTrip(of socket: Int32) -> Int64? {
    guard loop.clock == .wire else { return nil }
    do throws(SystemCallError) {
      let statistics = try SystemCalls.tcpStatistics(of: socket)
      self.statistics = statistics
      return statistics.openingRoundTrip
    } catch {
      return nil
    }
  }

  private func failure(_ error: SystemCallError) -> LoopError {
    LoopError(error, subject: address.description)
  }
}

/// When the two packets passed that open a connection, by the round trip that the kernel has measured: the loop learns of the
/// answer late, and the call that sends the first packet is slow. On loopback the answer comes before it returns.
struct Opening {
  /// The first SYN.
  let sent: MonotonicInstant
  /// Nanoseconds; `nil` if the answer had not come when the call returned.
  private let roundTrip: Int64?

  /// Whether the answer had come when the call returned: the connection stands.
  var isAnswered: Bool { roundTrip != nil }

  /// - Parameters:
  ///   - called: when the call began, and when it returned.
  ///   - roundTrip: nanoseconds, as the kernel knew it when the call returned; `nil` if the answer had not come.
  init(called: MonotonicInstant, returned: MonotonicInstant, roundTrip: Int64?) {
    self.roundTrip = roundTrip
    sent =
      roundTrip.map { SendingCall.departure(called: called, nanoseconds: returned.nanoseconds(since: called) - $0) } ?? returned
  }

  /// The SYN-ACK.
  ///
  /// - Parameters:
  ///   - learnt: when the loop was told.
  ///   - laterRoundTrip: nanoseconds, as the kernel knows it then; `nil` if it does not, for the SYN was sent again. Asked for
  ///     only if the answer had not come when the call returned.
  func answered(notAfter learnt: MonotonicInstant, roundTrip laterRoundTrip: @autoclosure () -> Int64?) -> MonotonicInstant {
    (roundTrip ?? laterRoundTrip()).map { min(learnt, sent.advanced(byNanoseconds: $0)) } ?? learnt
  }
}
