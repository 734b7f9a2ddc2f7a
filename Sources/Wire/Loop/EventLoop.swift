internal import CTapeline
internal import Synchronization
internal import TapelineSystem
package import TapelineTime

/// A connection that gathers what it has to say while a turn's handlers run, and says it once, at the end of the turn.
package protocol EndOfTurnWorker: AnyObject {
  /// Called at the end of the turn in which the worker was enqueued.
  func finishTurn()
}

/// One thread's event loop on libevent.
///
/// A loop belongs to the thread that made it, unless that thread hands it over to the thread that will run it. Everything bound
/// to the loop (channels, listeners, timers) is made and used on its thread and checks that.
///
/// A turn serves every due event and ends in a fixed order: local jobs run, then channels write the turn's output, and last
/// comes what nobody waits for. So the output of all connections leaves in one system call where the kernel has io_uring, else in
/// one for each, and the peers are woken at the end. If they were woken earlier, they would take the processor from us in the
/// middle of the turn and come back for a single message each.
///
/// Safety: `@unchecked Sendable` because other threads hold a loop to post jobs and to stop it. They can reach `mailbox` and
/// `owner`, which are made for it; every other member is touched on the loop only.
public final class EventLoop: @unchecked Sendable {
  // Any thread.
  private let mailbox: Mailbox
  /// The number of the thread that owns this loop; 0 between `handOver()` and `run()`.
  private let owner: Atomic<UInt>
  /// Whose clock takes the marks of bytes that come. With `.loop` the kernel is asked nothing about packets.
  package let clock: MonotonicInstant.Clock

  // The loop only.
  let base: EventBase
  let inputBuffer = InputBuffer()
  var wireClock = WireClock()
  /// Until when it has served all that had come.
  var attention = Attention()
  var allowance = QuestionAllowance()
  private(set) lazy var sampler = TCPSampler(loop: self)
  /// How long its channels go on after their owners have left.
  var endingBounds = Channel.EndingBounds()
  /// Sends for all channels that have output at the end of a turn.
  var jointOutput = JointOutput()
  /// The first of the channels that it serves, each of which holds the next.
  var firstChannel: Channel?
  /// How many conduits its channels have.
  var conduits = 0
  private var wake: EventRegistration?
  private var nextTurn: EventRegistration?
  private var localJobs = TurnQueue<LocalJob>()
  private var channelsToAttend = TurnQueue<Channel>()
  private var lastWorkers: [any EndOfTurnWorker] = []
  private var spareBuffers: [[UInt8]] = []
  private var isStopped = false

  private enum LocalJob {
    case closure(() -> Void)
    /// A connection, which needs no closure for each turn.
    case worker(any EndOfTurnWorker)
  }

  /// How often the end of a turn may produce more work before other events get their turn.
  private static let roundsPerTurn = 16
  private static let spareBufferLimit = 64
  /// Room for 64 KiB and the overhead of TLS.
  private static let largestSpareBuffer = 72 * 1024

  package init(clock: MonotonicInstant.Clock = .wire) throws(LoopError) {
    self.clock = clock
    do throws(SystemCallError) {
      base = try EventBase()
      mailbox = try Mailbox()
    } catch {
      throw LoopError(error)
    }
    owner = Atomic(SystemThread.currentID)
    wake = EventRegistration(readable: mailbox.bell, for: self)
    wake?.add()
    nextTurn = EventRegistration(turnOf: self)
  }

  // MARK: Running

  /// Gives the loop away: before any other thread sees it, to the thread that will call `run()`; after `run()`, to the thread
  /// that drops the objects bound to it. Meanwhile jobs wait.
  package func handOver() {
    preconditionCurrent()
    owner.store(0, ordering: .relaxed)
  }

  /// Serves events until `stop()`, on the thread that made the loop or, after a handover, on the thread that calls this.
  package func run() {
    let (isFree, previous) = owner.compareExchange(expected: 0, desired: SystemThread.currentID, ordering: .relaxed)
    precondition(isFree || previous == SystemThread.currentID, "a loop was run on a thread that it does not belong to")
    isStopped = false
    finishTurn()
    while !isStopped {
      attention.willWait()
      base.serve()
      finishTurn()
    }
  }

  /// Lets go of everything that the loop holds and that holds the loop, so that its descriptors are closed with the last
  /// reference to it. Instead of `handOver()`, for a loop that will not run again: channels are closed, later jobs are dropped.
  func retire() {
    preconditionCurrent()
    while let channel = firstChannel { channel.close() }
    sampler.end()
    localJobs = TurnQueue()
    channelsToAttend = TurnQueue()
    lastWorkers = []
    handOver()
    mailbox.close()
  }

  /// Ends `run()` once the jobs posted earlier have run. From any thread; before `run()` as well.
  package func stop() {
    // Weak: a job that never runs must not keep its loop alive.
    mailbox.post { [weak self] in self?.isStopped = true }
  }

  /// Waits until another thread serves this loop: before that, the loop still belongs to the thread that made it.
  func waitUntilServed() {
    let reply = Reply<Void>()
    mailbox.post { reply.send(()) }
    reply.wait()
  }

  /// Whether the caller is on this loop's thread.
  package var isCurrent: Bool {
    owner.load(ordering: .relaxed) == SystemThread.currentID
  }

  /// Stops the program if the caller is not on this loop's thread.
  public func preconditionCurrent() {
    precondition(isCurrent, "something bound to a loop was touched from another thread")
  }

  /// Like `preconditionCurrent`, for the data path: debug builds only.
  func assertCurrent() {
    assert(isCurrent, "something bound to a loop was touched from another thread")
  }

  /// Whether the caller may drop an object that is bound to the loop: on the loop's thread, or if no thread owns the loop.
  var allowsEnding: Bool {
    let owner = owner.load(ordering: .relaxed)
    return owner == 0 || owner == SystemThread.currentID
  }

  // MARK: Jobs

  /// Runs `job` on the loop: never inside this call, and in the order of the calls of one thread. Jobs that still wait when the
  /// loop has stopped are dropped with it.
  package func execute(_ job: @escaping @Sendable () -> Void) {
    if isCurrent {
      localJobs.append(.closure(job))
    } else {
      mailbox.post(job)
    }
  }

  /// Runs `body` on the loop, which must be running until then, and waits for its value. From any thread except the loop's own,
  /// which would wait for itself.
  package func executeAndWait<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    precondition(!isCurrent, "a loop was made to wait for itself")
    let reply = Reply<Value>()
    mailbox.post { reply.send(body()) }
    return reply.wait()
  }

  /// Runs `job` at the end of the current turn, after the handler has returned. On the loop only.
  package func enqueueLocal(_ job: @escaping () -> Void) {
    preconditionCurrent()
    localJobs.append(.closure(job))
  }

  /// Has `worker` finish the current turn, after the handler has returned. On the loop only.
  package func enqueueLocal(_ worker: any EndOfTurnWorker) {
    preconditionCurrent()
    localJobs.append(.worker(worker))
  }

  /// Has `worker` finish the current turn after its output has left. On the loop only.
  package func enqueueLast(_ worker: any EndOfTurnWorker) {
    preconditionCurrent()
    lastWorkers.append(worker)
  }

  /// Has `channel` write its output at the end of the current turn.
  func attend(_ channel: Channel) {
    channelsToAttend.append(channel)
  }

  // MARK: Turns

  /// Something other than a channel's input is due.
  func noteWork() {
    attention.wake(at: .now)
  }

  /// Threads have posted jobs.
  func didWake() {
    noteWork()
    for job in mailbox.takeAll() { job() }
  }

  private func finishTurn() {
    tapeline_trap_in_loop()
    writeOutput()
    finishLast()
  }

  private func finishLast() {
    let count = lastWorkers.count
    guard count > 0 else { return }
    for index in 0..<count { lastWorkers[index].finishTurn() }
    lastWorkers.removeSubrange(0..<count)
  }

  private func writeOutput() {
    for _ in 0..<Self.roundsPerTurn {
      runLocalJobs()
      attendChannels()
      if localJobs.isEmpty, channelsToAttend.isEmpty { return }
    }
    // A timer instead of an activation: libevent serves activated events before it looks at descriptors again.
    nextTurn?.add(afterNanoseconds: 0)
  }

  private func runLocalJobs() {
    localJobs.beginRound()
    while let job = localJobs.next() {
      switch job {
      case .closure(let job): job()
      case .worker(let worker): worker.finishTurn()
      }
    }
  }

  private func attendChannels() {
    channelsToAttend.beginRound()
    jointOutput.send(channelsToAttend.round)
    while let channel = channelsToAttend.next() { channel.attend() }
  }

  // MARK: Buffers

  /// An empty buffer with capacity, if there is a spare one: output uses few buffers, which stay warm in the cache, and an idle
  /// connection holds none.
  package func takeSpareBuffer() -> [UInt8] {
    spareBuffers.popLast() ?? []
  }

  package func keepSpareBuffer(_ buffer: consuming [UInt8]) {
    guard spareBuffers.count < Self.spareBufferLimit, (1...Self.largestSpareBuffer).contains(buffer.capacity) else { return }
    spareBuffers.append(buffer)
  }
}

/// Carries a value that belongs to a loop through code that does not: any thread may hold it, only the loop may open it.
///
/// Only two paths reach the value: `value`, which checks that the caller is on the loop, and the last holder, which has the
/// loop empty the box, so that the value is released on the loop as well.
public final class LoopBound<Value>: Sendable {
  /// Safety: only the loop touches `content`. References to the box may be dropped on any thread; that is the purpose of the
  /// box.
  @usableFromInline
  final class Box: @unchecked Sendable {
    @usableFromInline
    var content: Value?

    init(_ content: Value) {
      self.content = content
    }
  }

  public let loop: EventLoop
  @usableFromInline
  let box: Box

  /// On any thread that may hold `value` at this moment.
  package init(_ value: Value, on loop: EventLoop) {
    box = Box(value)
    self.loop = loop
  }

  /// On the loop only.
  @inlinable
  public var value: Value {
    loop.preconditionCurrent()
    guard let content = box.content else {
      preconditionFailure("a box was opened after its last holder had let go")
    }
    return content
  }

  deinit {
    guard !loop.allowsEnding else { return }
    loop.execute { [box] in box.content = nil }
  }
}

/// Elements that wait for a round within a turn. Those that are added during a round wait for the next one.
///
/// Its elements leave it in the order in which they came, each moved out, as a copy would count its references.
private struct TurnQueue<Element> {
  private var waiting: [Element] = []
  /// The current round, with its first element at the end.
  private var leaving: [Element] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// The rest of the current round, in order.
  var round: ReversedCollection<[Element]> { leaving.reversed() }

  mutating func append(_ element: Element) { waiting.append(element) }

  /// The round before has come to its end.
  mutating func beginRound() {
    swap(&waiting, &leaving)
    if leaving.count > 1 { leaving.reverse() }
  }

  mutating func next() -> Element? { leaving.popLast() }
}
