internal import TapelineLoop
internal import TapelineProxy
internal import TapelineTime

/// A link between a command's network and us, as a value: which packets are lost, and when the others arrive.
///
/// In each direction, a line carries packets one after the other at its rate; then they travel for half of the round trip. What
/// finds the queue before the line full is dropped, as a router would.
struct LinkQueue {
  /// Counts of what the link has done.
  struct Counts: Hashable, Sendable {
    /// Packets that came.
    var packets: UInt64 = 0
    /// Those that were lost by chance, and those that found the queue full.
    var lost: UInt64 = 0
    var overflowed: UInt64 = 0
    /// Those that waited for the line.
    var queued: UInt64 = 0
  }

  private struct Held {
    let packet: LinkPacket
    let due: MonotonicInstant
  }

  /// One direction.
  private struct Line {
    let rate: Double?
    /// When it has carried all that came.
    var busy = MonotonicInstant(nanoseconds: 0)
    /// The bytes that were put on it before that, with a trace: the place in it and what is left of its packet.
    var opportunity: Int64 = -1
    var room = 0
    /// In the order of their arrival.
    var held: [Held] = []
    var first = 0

    var next: Held? { first < held.count ? held[first] : nil }

    mutating func removeFirst() {
      first += 1
      if first == held.count {
        held.removeAll(keepingCapacity: true)
        first = 0
      } else if first > 4_096 {
        held.removeFirst(first)
        first = 0
      }
    }
  }

  private let profile: LinkProfile
  private let start: MonotonicInstant
  private var lines: [LinkPacket.Direction: Line]
  private var draw: InjectionDraw
  private(set) var counts = Counts()

  /// The packet of a trace, and the least queue.
  private static let packetSize = 1_504
  private static let leastQueue = 65_536

  init(_ profile: LinkProfile, seed: UInt64, at start: MonotonicInstant) {
    self.profile = profile
    self.start = start
    lines = [.up: Line(rate: profile.up), .down: Line(rate: profile.down)]
    draw = InjectionDraw(seed: seed, stream: 0)
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
    guard var line = lines[packet.direction], let carried = carry(packet.size, on: &line, at: now) else {
      counts.overflowed += 1
      return false
    }
    if carried.waited { counts.queued += 1 }
    let travel = profile.rtt / 2 + Int64(wobble * Double(profile.jitter))
    let due = max(carried.end.advanced(byNanoseconds: travel), line.held.last?.due ?? now)
    line.held.append(Held(packet: packet, due: due))
    lines[packet.direction] = line
    return true
  }

  /// When the line has carried so many bytes; `nil` if there is no room for them.
  private func carry(_ size: Int, on line: inout Line, at now: MonotonicInstant) -> (end: MonotonicInstant, waited: Bool)? {
    if let trace = profile.trace { return carry(size, on: &line, trace, at: now) }
    guard let rate = line.rate else { return (now, false) }
    let waiting = max(0, Double(line.busy.nanoseconds(since: now)) * rate)
    let limit = profile.queue ?? max(Self.leastQueue, Int(2 * rate * Double(profile.rtt)))
    guard waiting + Double(size) <= Double(limit) + 0.5 else { return nil }
    line.busy = max(line.busy, now).advanced(byNanoseconds: Int64((Double(size) / rate).rounded()))
    return (line.busy, waiting > 0)
  }

  /// Each instant of the trace carries one packet of the full size, or several small ones.
  private func carry(
    _ size: Int, on line: inout Line, _ trace: [Int64], at now: MonotonicInstant
  ) -> (end: MonotonicInstant, waited: Bool)? {
    let limit = Int64((profile.queue ?? Self.leastQueue) / Self.packetSize)
    let current = Self.opportunity(in: trace, at: now.nanoseconds(since: start))
    guard line.opportunity - current <= limit else { return nil }
    if line.opportunity < current || line.room < size {
      line.opportunity = max(line.opportunity + 1, current)
      line.room = Self.packetSize
    }
    line.room -= size
    let (lap, place) = line.opportunity.quotientAndRemainder(dividingBy: Int64(trace.count))
    let milliseconds = lap * (trace.last ?? 0) + trace[Int(place)]
    let end = max(now, start.advanced(byNanoseconds: milliseconds * 1_000_000))
    return (end, line.opportunity > current)
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

  /// When the next packet arrives; `nil`: none is on its way.
  var next: MonotonicInstant? { lines.values.compactMap { $0.next?.due }.min() }

  /// The packets that have arrived, in their order.
  mutating func arrived(at now: MonotonicInstant) -> [LinkPacket] {
    var arrived: [Held] = []
    for direction in LinkPacket.Direction.allCases {
      while let held = lines[direction]?.next, held.due <= now {
        arrived.append(held)
        lines[direction]?.removeFirst()
      }
    }
    return arrived.sorted { $0.due < $1.due }.map(\.packet)
  }
}
