internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineTime

/// A link between a command's network and us, as a value: which packets are lost, and when the others arrive.
///
/// In each direction, a line carries packets one after the other at its rate; then they travel for half of the round trip. What
/// finds the queue before the line full is dropped, as a router would.
struct LinkQueue {
  /// One direction.
  private struct Line {
    /// Bytes per nanosecond.
    private let rate: Double?
    private let trace: [Int64]?
    /// Bytes that may wait for it.
    private let limit: Int
    private let start: MonotonicInstant
    /// When it has carried all that came.
    private var busy = MonotonicInstant(nanoseconds: 0)
    /// The bytes that were put on it before that, with a trace: the place in it and what is left of its packet.
    private var opportunity: Int64 = -1
    private var room = 0
    /// In the order of their arrival.
    private var held: [(packet: LinkPacket, due: MonotonicInstant)] = []
    private var first = 0

    init(_ profile: LinkProfile, rate: Double?, from start: MonotonicInstant) {
      (self.rate, trace, self.start) = (rate, profile.trace, start)
      limit = profile.queue ?? max(LinkQueue.leastQueue, Int(2 * (rate ?? 0) * Double(profile.rtt)))
    }

    /// When the next packet arrives.
    var next: MonotonicInstant? { first < held.count ? held[first].due : nil }

    /// Holds a packet until it has travelled so long after the line has carried it, and behind those before it. Answers whether
    /// it waits for the line; `nil` if there is no room for it.
    mutating func hold(_ packet: LinkPacket, travelling travel: Int64, at now: MonotonicInstant) -> Bool? {
      guard let (end, waits) = carry(packet.size, at: now) else { return nil }
      let due = end.advanced(byNanoseconds: travel)
      held.append((packet, max(due, held.last?.due ?? due)))
      return waits
    }

    mutating func removeFirst() -> LinkPacket {
      let packet = held[first].packet
      first += 1
      if first == held.count {
        held.removeAll(keepingCapacity: true)
        first = 0
      } else if first > 4_096 {
        held.removeFirst(first)
        first = 0
      }
      return packet
    }

    /// When the line has carried so many bytes; `nil` if there is no room for them.
    private mutating func carry(_ size: Int, at now: MonotonicInstant) -> (end: MonotonicInstant, waits: Bool)? {
      if let trace { return carry(size, trace, at: now) }
      guard let rate else { return (now, false) }
      let waiting = max(0, Double(busy.nanoseconds(since: now)) * rate)
      guard waiting + Double(size) <= Double(limit) + 0.5 else { return nil }
      busy = max(busy, now).advanced(byNanoseconds: Int64((Double(size) / rate).rounded()))
      return (busy, waiting > 0)
    }

    /// Each instant of the trace carries one packet of the full size, or several small ones.
    private mutating func carry(
      _ size: Int, _ trace: [Int64], at now: MonotonicInstant
    ) -> (end: MonotonicInstant, waits: Bool)? {
      let current = Self.opportunity(in: trace, at: now.nanoseconds(since: start))
      guard opportunity - current <= Int64(limit / LinkQueue.packetSize) else { return nil }
      if opportunity < current || room < size {
        opportunity = max(opportunity + 1, current)
        room = LinkQueue.packetSize
      }
      room -= size
      let (lap, place) = opportunity.quotientAndRemainder(dividingBy: Int64(trace.count))
      let milliseconds = lap * (trace.last ?? 0) + trace[Int(place)]
      let end = max(now, start.advanced(byNanoseconds: milliseconds * 1_000_000))
      return (end, opportunity > current)
    }

    /// The number of the first instant of the trace, over and over, that is not before so many nanoseconds.
    private static func opportunity(in trace: [Int64], at nanoseconds: Int64) -> Int64 {
      guard let length = trace.last else { return 0 }
      let milliseconds = (nanoseconds + 999_999) / 1_000_000
      let (lap, rest) = milliseconds.quotientAndRemainder(dividingBy: length)
      var (low, high) = (0, trace.count)
      while low < high {
        let middle = (low + high) / 2
        if trace[middle] < rest { low = middle + 1 } else { high = middle }
      }
      return lap * Int64(trace.count) + Int64(low)
    }
  }

  private let profile: LinkProfile
  private var up: Line
  private var down: Line
  private var draw: InjectionDraw
  /// Since when packets are on their way, if any are.
  private var busySince = MonotonicInstant(nanoseconds: 0)
  /// For the log: what it is, and what it has done so far.
  private(set) var counts: RecordedNetwork

  /// The packet of a trace, and the least queue.
  private static let packetSize = 1_504
  private static let leastQueue = 65_536

  init(_ profile: LinkProfile, at start: MonotonicInstant) {
    self.profile = profile
    up = Line(profile, rate: profile.up, from: start)
    down = Line(profile, rate: profile.down, from: start)
    draw = InjectionDraw(seed: profile.seed, stream: 0)
    counts = RecordedNetwork(profile: profile.text, seed: profile.seed)
  }

  /// A packet comes. Answers whether it is held; if not, it is dropped.
  mutating func receive(_ packet: LinkPacket, at now: MonotonicInstant) -> Bool {
    counts.packets += 1
    // Both draws are made for each packet, so that the same packets are lost whatever the clock says.
    let (chance, wobble) = (draw.next(), draw.next())
    guard chance >= profile.loss else {
      counts.lost += 1
      return false
    }
    if next == nil { busySince = now }
    let travel = profile.rtt / 2 + Int64(wobble * Double(profile.jitter))
    let waited =
      switch packet.direction {
      case .up: up.hold(packet, travelling: travel, at: now)
      case .down: down.hold(packet, travelling: travel, at: now)
      }
    if waited == nil { counts.overflowed += 1 }
    if waited == true { counts.queued += 1 }
    return waited != nil
  }

  /// When the next packet arrives; `nil`: none is on its way.
  var next: MonotonicInstant? {
    switch (up.next, down.next) {
    case (let a?, let b?): min(a, b)
    case (let a, let b): a ?? b
    }
  }

  /// The packets that have arrived, in their order.
  mutating func arrived(at now: MonotonicInstant) -> [LinkPacket] {
    var arrived: [LinkPacket] = []
    while let due = next, due <= now {
      arrived.append(up.next == due ? up.removeFirst() : down.removeFirst())
      if next == nil { counts.busy += due.nanoseconds(since: busySince) }
    }
    return arrived
  }
}
