internal import TapelineHAR

extension RecordingStatus {
  var members: HARObject {
    var members: HARObject = [
      "pid": number(processID), "version": .string(version), "title": .string(title), "endpoints": texts(endpoints),
    ]
    members["asksForCredentials"] = .bool(asksForCredentials)
    members["interception"] = interception?.value ?? .null
    members["traffic"] = [
      "inFlight": number(traffic.inFlight), "openTunnels": number(traffic.openTunnels), "clients": number(traffic.clients),
      "begun": number(traffic.begun), "quietMilliseconds": traffic.quietMilliseconds.map(number) ?? .null,
    ]
    members["log"] = [
      "file": .string(log.file), "fileSize": number(log.fileSize), "fileEntries": number(log.fileEntries),
      "files": number(log.files), "page": .string(log.page), "recorded": number(log.recorded),
      "filtered": number(log.filtered), "failed": number(log.failed),
      "withoutBodies": number(log.withoutBodies), "notRecorded": number(log.notRecorded),
    ]
    return members
  }

  init(members: HARObject) throws(ControlMessageError) {
    let status = MemberReader(value: .object(members), path: "")
    self.init(
      processID: try status.integer("pid"), version: try status.text("version"), title: try status.text("title"),
      endpoints: try status.texts("endpoints"),
      // A recording by an earlier version does not say, and its proxy asks nobody whom this serves.
      asksForCredentials: members["asksForCredentials"] == .bool(true), interception: try Interception(members["interception"]),
      traffic: try Traffic(status.object("traffic")), log: try Log(status.object("log")))
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
      quietMilliseconds: reader.value["quietMilliseconds"]?.integer)
  }
}

extension RecordingStatus.Log {
  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      file: try reader.text("file"), fileSize: try reader.integer("fileSize"), fileEntries: try reader.integer("fileEntries"),
      files: try reader.integer("files"), page: try reader.text("page"), recorded: try reader.integer("recorded"),
      // A recording by an earlier version has no filter to speak of.
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
