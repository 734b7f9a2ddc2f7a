package import TapelineHAR

extension RecordingStatus {
  package var members: HARObject {
    var members: HARObject = [
      "pid": number(processID), "version": .string(version), "title": .string(title), "endpoints": texts(endpoints),
    ]
    members["name"] = name.map { .string($0) } ?? .null
    members["directory"] = directory.map { .string($0) } ?? .null
    members["asksForCredentials"] = .bool(asksForCredentials)
    members["livePage"] = livePage.map { .string($0) } ?? .null
    members["interception"] = interception?.value ?? .null
    members["traffic"] = [
      "inFlight": number(traffic.inFlight), "openTunnels": number(traffic.openTunnels), "clients": number(traffic.clients),
      "begun": number(traffic.begun), "quietMilliseconds": traffic.quietMilliseconds.map(number) ?? .null,
      "streams": number(traffic.streams),
    ]
    members["log"] = [
      "file": .string(log.file), "fileSize": number(log.fileSize), "fileEntries": number(log.fileEntries),
      "files": number(log.files), "page": .string(log.page), "recorded": number(log.recorded),
      "filtered": number(log.filtered), "failed": number(log.failed),
      "withoutBodies": number(log.withoutBodies), "notRecorded": number(log.notRecorded),
    ]
    members["queue"] = queue?.value ?? .null
    members["unread"] = unread.value
    members["passthrough"] = .array(passedThrough.map(\.value))
    members["otlp"] = export?.value ?? .null
    return members
  }

  init(members: HARObject) throws(ControlMessageError) {
    let status = MemberReader(value: .object(members), path: "")
    self.init(
      processID: try status.integer("pid"), version: try status.text("version"), title: try status.text("title"),
      // A recording by an earlier version has no name.
      name: members["name"]?.string, directory: members["directory"]?.string,
      endpoints: try status.texts("endpoints"),
      // A recording by an earlier version does not say, and its proxy asks nobody whom this serves.
      asksForCredentials: members["asksForCredentials"] == .bool(true), livePage: members["livePage"]?.string,
      interception: try Interception(members["interception"]),
      traffic: try Traffic(status.object("traffic")), log: try Log(status.object("log")), queue: try Queue(members["queue"]),
      // A recording by an earlier version does not report these.
      unread: try members["unread"].map { value throws(ControlMessageError) in
        try Unread(MemberReader(value: value, path: "unread."))
      } ?? Unread(),
      passedThrough: members["passthrough"] == nil ? [] : try PassedThrough.list(in: members),
      export: try Export(members["otlp"]))
  }
}

extension RecordingStatus.Queue {
  fileprivate var value: HARValue {
    [
      "exchanges": number(exchanges), "bytes": number(bytes), "limit": number(limit), "overload": .string(overload),
      "waited": number(waited),
    ]
  }

  fileprivate init?(_ value: HARValue?) throws(ControlMessageError) {
    guard let value, value != .null else { return nil }
    let reader = MemberReader(value: value, path: "queue.")
    self.init(
      exchanges: try reader.integer("exchanges"), bytes: try reader.integer("bytes"), limit: try reader.integer("limit"),
      overload: try reader.text("overload"), waited: try reader.integer("waited"))
  }
}

extension RecordingStatus.Unread {
  fileprivate var value: HARValue {
    [
      "tunnels": number(tunnels),
      "reasons": .object(HARObject(members: reasons.map { .init(name: $0.name, value: number($0.tunnels)) })),
      "hosts": .array(
        hosts.map { ["host": .string($0.name), "reason": .string($0.reason), "tunnels": number($0.tunnels)] }),
    ]
  }

  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      tunnels: try reader.integer("tunnels"),
      reasons: try reader.object("reasons").value.object?.members.map { member in
        Reason(name: member.name, tunnels: member.value.integer ?? 0)
      } ?? [],
      hosts: try reader.objects("hosts").map { host throws(ControlMessageError) in
        Host(name: try host.text("host"), reason: try host.text("reason"), tunnels: try host.integer("tunnels"))
      })
  }
}

extension RecordingStatus.PassedThrough {
  package var value: HARValue {
    [
      "host": .string(host), "client": .string(client), "why": .string(why), "since": number(since), "expires": number(expires),
    ]
  }

  /// The clients in a status, or in the answer to `passthrough`.
  package static func list(in members: HARObject) throws(ControlMessageError) -> [RecordingStatus.PassedThrough] {
    try MemberReader(value: .object(members), path: "").objects("passthrough").map { reader throws(ControlMessageError) in
      RecordingStatus.PassedThrough(
        host: try reader.text("host"), client: try reader.text("client"), why: try reader.text("why"),
        since: try reader.integer("since"), expires: try reader.integer("expires"))
    }
  }
}

extension RecordingStatus.Export {
  fileprivate var value: HARValue {
    [
      "url": .string(url), "made": number(made), "sent": number(sent), "rejected": number(rejected), "dropped": number(dropped),
      "queued": number(queued), "leftOut": number(leftOut), "trouble": trouble.map { .string($0) } ?? .null,
    ]
  }

  /// A recording by an earlier version exports nothing.
  fileprivate init?(_ value: HARValue?) throws(ControlMessageError) {
    guard let value, value != .null else { return nil }
    let reader = MemberReader(value: value, path: "otlp.")
    self.init(
      url: try reader.text("url"), made: try reader.integer("made"), sent: try reader.integer("sent"),
      rejected: try reader.integer("rejected"), dropped: try reader.integer("dropped"), queued: try reader.integer("queued"),
      leftOut: try reader.integer("leftOut"), trouble: reader.value["trouble"]?.string)
  }
}

extension RecordingStatus.Interception {
  fileprivate var value: HARValue {
    ["directory": .string(directory), "upstreamAuthorities": texts(upstreamAuthorities)]
  }

  fileprivate init?(_ value: HARValue?) throws(ControlMessageError) {
    guard let value, value != .null else { return nil }
    let reader = MemberReader(value: value, path: "interception.")
    self.init(directory: try reader.text("directory"), upstreamAuthorities: try reader.texts("upstreamAuthorities"))
  }
}

extension RecordingStatus.Traffic {
  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      inFlight: try reader.integer("inFlight"), openTunnels: try reader.integer("openTunnels"),
      clients: try reader.integer("clients"), begun: try reader.integer("begun"),
      quietMilliseconds: reader.value["quietMilliseconds"]?.integer,
      // A recording by an earlier version does not tell them apart.
      streams: reader.value["streams"]?.integer ?? 0)
  }
}

extension RecordingStatus.Log {
  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      file: try reader.text("file"), fileSize: try reader.integer("fileSize"), fileEntries: try reader.integer("fileEntries"),
      files: try reader.integer("files"), page: try reader.text("page"), recorded: try reader.integer("recorded"),
      // A recording by an earlier version does not report a filter.
      filtered: reader.value["filtered"]?.integer ?? 0,
      failed: try reader.integer("failed"), withoutBodies: try reader.integer("withoutBodies"),
      notRecorded: try reader.integer("notRecorded"))
  }
}

private func number(_ value: Int) -> HARValue {
  .number(HARNumber(value))
}

private func texts(_ texts: [String]) -> HARValue {
  .array(texts.map { .string($0) })
}
