package import TapelineSystem
package import TapelineTime

// The kernel's figures of the connection. While bytes move, the loop's sampler asks for them.
extension Channel {
  /// The kernel's information about the connection; `nil` once closed, or if the socket is not TCP.
  package func tcpStatistics() -> TCPStatistics? {
    loop.assertCurrent()
    guard machine.isOpen else { return nil }
    do throws(SystemCallError) {
      return try SystemCalls.tcpStatistics(of: socket)
    } catch {
      return nil
    }
  }

  /// Recent information from the kernel: we ask at most a hundred times a second, because the question costs as much as a tenth
  /// of a small exchange and the answers are averages over many round trips.
  package func recentTCPStatistics(at now: MonotonicInstant) -> TCPStatistics? {
    if let last = lastStatistics, now.nanoseconds(since: last.instant) < Self.statisticsNanoseconds { return last.value }
    guard let statistics = tcpStatistics() else { return nil }
    lastStatistics = (statistics, now)
    return statistics
  }

  private static let statisticsNanoseconds: Int64 = 10_000_000

  // MARK: Series

  /// Begins the history of an exchange with the newest knowledge, without a question to the kernel: between exchanges the
  /// counters stand still. Samples are kept from now on.
  package func beginTCPHistory(at now: MonotonicInstant) -> TCPSample {
    if series == nil { series = TCPSeries() }
    return TCPSample(instant: now, statistics: lastStatistics?.value ?? .unknown, isPaused: isReadingPaused)
  }

  /// The connection since `start`; `nil` if the kernel never said anything.
  package func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? {
    _ = recentTCPStatistics(at: now)
    guard let (statistics, instant) = lastStatistics else { return nil }
    return TCPHistory(
      from: start, series, to: TCPSample(instant: instant, statistics: statistics, isPaused: isReadingPaused))
  }

  /// The last exchange is over: nobody needs the samples, nor the next ones.
  package func endTCPHistories() {
    series = nil
  }

  // MARK: Rest

  /// Has the kernel probe a peer that is silent, for a connection of our own (those of a listener have it from there). To ask for
  /// it takes four calls, and most connections end before they have rested for a moment: then nothing is asked.
  package func probeWhenSilent() {
    guard loop.clock == .wire else { return probe() }
    owesProbes = true
    noteActivity()
  }

  private func probe() {
    owesProbes = false
    do throws(SystemCallError) {
      try SystemCalls.probeSilentPeer(of: socket)
    } catch {
      // A kernel or a filter of system calls that refuses it leaves the peer unprobed.
    }
  }

  /// Bytes move, or may move now.
  func noteActivity() {
    isActive = true
    if samplerPlace == nil, loop.clock == .wire { loop.sampler.add(self) }
  }

  /// Returns whether to go on: bytes have moved since the last time, or the kernel still has some that it could not send. Asks
  /// only if a history is wanted.
  func takeSample(at now: MonotonicInstant) -> Bool {
    let goesOn = isActive || isBlocked
    if !goesOn, owesProbes { probe() }
    isActive = false
    guard series != nil else { return goesOn }
    guard let statistics = tcpStatistics() else { return false }
    lastStatistics = (statistics, now)
    series?.append(TCPSample(instant: now, statistics: statistics, isPaused: isReadingPaused))
    return goesOn
  }
}
