internal import Synchronization
internal import TapelineCore
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime

/// The clients that are known to accept our certificates for a host, and those that refuse them. Shared by the loops of a proxy;
/// bounded.
///
/// A first refusal is only noted. A second one within a minute is a verdict, which holds for ten minutes. A client that has
/// accepted us for a host is no longer under suspicion there. Where trust was handed over, the first refusal is the verdict,
/// unless it is the silence of a client that may be any of several programs, or a browser's. The refusals of a browser's parallel
/// connections are one.
final class ClientTrust: Sendable {
  /// How a client turned our certificate down.
  enum Refusal: Hashable, Sendable {
    /// By a fatal alert with this name (RFC 8446 6.2).
    case alert(String)
    /// It closed without a word when it had seen the certificate. A person who cancels looks the same.
    case silence
  }

  /// The decision to pass a client through to a host.
  struct Verdict: Hashable, Sendable {
    let refusal: Refusal
    let since: MonotonicInstant
    let expires: MonotonicInstant
  }

  /// The result of a refusal.
  enum Outcome: Hashable, Sendable {
    /// This client has accepted us for this host before: something else was the matter.
    case notBelieved
    /// The client is under suspicion.
    ///
    /// - Parameter isNews: whether no client has refused us for this host before.
    case noted(isNews: Bool)
    /// The client is passed through from now on.
    ///
    /// - Parameter isNews: whether this was never reported of the client.
    case passedThrough(isNews: Bool)
  }

  private struct Place<Client: Hashable & Sendable>: Hashable, Sendable {
    let client: Client
    let host: String
  }

  private enum Standing: Sendable {
    case accepts
    case refused(at: MonotonicInstant)
    case passedThrough(Verdict)
  }

  private struct RecentClient: Sendable {
    let process: RunningProcess
    let program: ClientProgram
    /// Where it had its connections.
    var descriptors = BoundedTable<Int32, Void>(limit: descriptorLimit)
  }

  /// As long as it lasts, we look who uses a hello, because a client with it refused us.
  private struct Watch: Sendable {
    let end: MonotonicInstant
    /// How many more clients are looked for.
    var looks: Int
  }

  private struct State {
    var standings: BoundedTable<Place<TLSClient.Key>, Standing>
    /// Hellos with which some client has accepted us.
    var accepted: BoundedTable<Place<TLSClient.Source>, Bool>
    var watched: BoundedTable<Place<TLSClient.Source>, Watch>
    /// When a client refused us whose program nobody had looked for: so far the refusal belongs to no known client.
    var disputes: BoundedTable<Place<TLSClient.Source>, MonotonicInstant>
    /// By which origins demanded certificates of their clients.
    var demands: BoundedTable<Place<TLSClient.Source>, CertificateDemand>
    var hostsSaid: BoundedTable<String, Bool>
    var verdictsSaid: BoundedTable<Place<TLSClient.Key>, Bool>
    /// By the process's number.
    var recent = BoundedTable<Int32, RecentClient>(limit: recentLimit)

    /// Whether nothing has been reported of this host. Marks it as reported.
    mutating func isNews(host: String) -> Bool {
      guard hostsSaid[host] == nil else { return false }
      hostsSaid[host] = true
      return true
    }

    mutating func watch(
      _ place: Place<TLSClient.Source>, from now: MonotonicInstant, until end: MonotonicInstant, looks: Int = .max
    ) {
      let earlier = watched[place].flatMap { now < $0.end ? $0 : nil }
      watched[place] = Watch(end: max(end, earlier?.end ?? end), looks: max(looks, earlier?.looks ?? 0))
    }
  }

  /// Two refusals that are farther apart are two accidents.
  static let suspicion = Duration.seconds(60)
  /// A browser opens several connections at once, and refuses each before it goes on.
  static let burst = Duration.seconds(3)
  static let verdict = Duration.seconds(600)
  /// A client that hangs up is mostly in a hurry: after that, so many clients are looked for, and no more.
  static let looksAfterSilence = 64
  private static let recentLimit = 8
  private static let descriptorLimit = 64
  /// A process that has many connections at once holds most of them still: then it is searched without delay.
  private static let likelyDescriptors = 8

  private let state: Mutex<State>

  init(limit: Int = 4_096) {
    state = Mutex(
      State(
        standings: BoundedTable(limit: limit), accepted: BoundedTable(limit: limit), watched: BoundedTable(limit: limit),
        disputes: BoundedTable(limit: limit), demands: BoundedTable(limit: limit),
        hostsSaid: BoundedTable(limit: limit), verdictsSaid: BoundedTable(limit: limit)))
  }

  // MARK: Who it is

  /// Whether it matters which program a client is. It does not if all clients with this hello have accepted us for the host: then
  /// there is nothing to look up, as for most connections. Each call that says yes is a look.
  func wantsProgram(of source: TLSClient.Source, for host: String, at now: MonotonicInstant) -> Bool {
    let place = Place(client: source, host: host)
    return state.withLock { state in
      guard state.accepted[place] != nil else { return true }
      return state.watched.use(place) { watch in
        guard now < watch.end, watch.looks > 0 else { return false }
        watch.looks -= 1
        return true
      } ?? false
    }
  }

  /// The processes that were the most recent clients: the next client is likely to be one of them. The last one may have closed
  /// its oldest connection, and have the new one in its place.
  var likelyHolders: [RunningProcess.Suspect] {
    state.withLock { state in
      state.recent.elements.reversed().enumerated().map { index, client in
        let descriptors = index == 0 ? client.value.descriptors.elements.prefix(Self.likelyDescriptors).map(\.key) : []
        return RunningProcess.Suspect(id: client.key, descriptors: descriptors)
      }
    }
  }

  /// The program that a process runs; known already if the process was a client lately. A process that executes another program
  /// has another name.
  func program(of holder: RunningProcess.Holder, read: (RunningProcess) -> ClientProgram?) -> ClientProgram? {
    let process = holder.process
    let known = state.withLock { $0.recent[process.id].flatMap { $0.process == process ? $0.program : nil } }
    guard let program = known ?? read(process) else { return nil }
    state.withLock { state in
      if state.recent[process.id]?.process != process {
        state.recent[process.id] = RecentClient(process: process, program: program)
      }
      _ = state.recent.use(process.id) { $0.descriptors[holder.descriptor] = () }
    }
    return program
  }

  // MARK: What it does

  /// A request came through TLS under our certificate. That undoes every suspicion, and no suspicion undoes it.
  func noteAcceptance(by client: TLSClient, of host: String) {
    guard let key = client.key else { return }
    state.withLock { state in
      state.standings[Place(client: key, host: host)] = .accepts
      state.accepted[Place(client: client.source, host: host)] = true
    }
  }

  /// - Parameter suffices: whether this refusal is enough, without a second one.
  func noteRefusal(
    _ refusal: Refusal, by client: TLSClient, of host: String, at now: MonotonicInstant, suffices: Bool = false
  ) -> Outcome {
    let source = Place(client: client.source, host: host)
    // A second refusal counts as long as the first is remembered.
    let end = now.advanced(by: Self.suspicion)
    return state.withLock { state in
      guard let key = client.key else {
        state.watch(source, from: now, until: end, looks: refusal == .silence ? Self.looksAfterSilence : .max)
        // Clients with this hello are known to trust us: silence is not a suspicion.
        guard refusal != .silence else { return .notBelieved }
        state.disputes[source] = now
        if case .accepts = state.standings[Place(client: .source(client.source), host: host)] { return .notBelieved }
        return .noted(isNews: state.isNews(host: host))
      }
      let place = Place(client: key, host: host)
      var earlier = state.disputes[source]
      switch state.standings[place] {
      // Nobody else needs to be looked for.
      case .accepts: return .notBelieved
      case .passedThrough(let verdict) where now < verdict.expires: return .passedThrough(isNews: false)
      case .refused(let instant): earlier = max(instant, earlier ?? instant)
      case .passedThrough, nil: break
      }
      let isBrowser = client.isBrowser
      let isSecond = earlier.map { now.duration(since: $0) < Self.suspicion } ?? false
      if isBrowser, let earlier, now.duration(since: earlier) < Self.burst { return .noted(isNews: false) }
      // One program may cancel a handshake while another with the same hello trusts us.
      let isClear = refusal != .silence || client.program != .hidden
      guard isSecond || (suffices && isClear && !isBrowser) else {
        state.standings[place] = .refused(at: now)
        state.watch(source, from: now, until: end)
        return .noted(isNews: state.isNews(host: host))
      }
      let verdict = Verdict(refusal: refusal, since: now, expires: now.advanced(by: Self.verdict))
      state.standings[place] = .passedThrough(verdict)
      state.watch(source, from: now, until: verdict.expires)
      let wasSaid = state.verdictsSaid[place] != nil
      state.verdictsSaid[place] = true
      return .passedThrough(isNews: !wasSaid)
    }
  }

  /// Why this client is passed through to `host`, if it is.
  func verdict(on client: TLSClient, for host: String, at now: MonotonicInstant) -> Verdict? {
    guard let key = client.key else { return nil }
    return state.withLock { state in
      guard case .passedThrough(let verdict) = state.standings[Place(client: key, host: host)], now < verdict.expires
      else { return nil }
      return verdict
    }
  }

  // MARK: What its origin wants

  /// The origin demands a certificate of a client with this hello. Answers whether that is news.
  func note(_ demand: CertificateDemand, of source: TLSClient.Source) -> Bool {
    state.withLock { state in
      let place = Place(client: source, host: demand.host)
      let isNews = state.demands[place] == nil
      state.demands[place] = demand
      return isNews
    }
  }

  /// The demand for which a client with this hello is passed through to `host`, if it is: for as long again from now on, since
  /// nothing but a pause of the client's tells that it does without.
  func certificateDemand(
    from source: TLSClient.Source, for host: String, at now: MonotonicInstant
  ) -> CertificateDemand? {
    state.withLock { state in
      state.demands.use(Place(client: source, host: host)) { demand in
        guard let expires = demand.expires, now < expires else { return nil }
        demand.expires = now.advanced(by: Self.verdict)
        return demand
      } ?? nil
    }
  }

  /// The demands for which clients are passed through, oldest first.
  func certificateDemands(at now: MonotonicInstant) -> [CertificateDemand] {
    state.withLock(\.demands).elements.map(\.value).filter { $0.expires.map { now < $0 } ?? false }
      .sorted { ($0.since, $0.host) < ($1.since, $1.host) }
  }

  /// Whether nothing has been reported of this host. Marks it as reported.
  func isNews(host: String) -> Bool {
    state.withLock { $0.isNews(host: host) }
  }

  // MARK: The list

  /// The verdicts that hold, oldest first.
  func verdicts(at now: MonotonicInstant) -> [(client: TLSClient.Key, host: String, verdict: Verdict)] {
    let standings = state.withLock(\.standings).elements
    let verdicts = standings.compactMap { place, standing -> (client: TLSClient.Key, host: String, verdict: Verdict)? in
      guard case .passedThrough(let verdict) = standing, now < verdict.expires else { return nil }
      return (place.client, place.host, verdict)
    }
    return verdicts.sorted { ($0.verdict.since, $0.host) < ($1.verdict.since, $1.host) }
  }

  /// Forgets every refusal, but not who has accepted us.
  func forgetRefusals() {
    state.withLock { state in
      state.standings.removeAll { _, standing in
        if case .accepts = standing { false } else { true }
      }
      state.watched.removeAll { _, _ in true }
      state.disputes.removeAll { _, _ in true }
      state.demands.removeAll { _, _ in true }
      state.hostsSaid.removeAll { _, _ in true }
      state.verdictsSaid.removeAll { _, _ in true }
    }
  }
}

extension ClientTrust.Refusal {
  /// A client that pins knows the certificate that it wants. One that says that it does not know the authority, or that was told
  /// on its command line whom to trust, has authorities of its own.
  func trust(of client: TLSClient) -> RefusalNotice.Trust {
    if client.isBrowser { return .browser }
    if case .known(let program) = client.program, let word = program.authorityWord { return .named(word) }
    return self == .alert("unknown_ca") ? .ownAuthority : .unknown
  }

  func reason(of client: TLSClient) -> UnreadReason {
    trust(of: client) == .unknown ? .pinned : .ownAuthority
  }
}

extension ClientTrust.Refusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .alert(let name): "alert \(name)"
    case .silence: "it hung up"
    }
  }
}
