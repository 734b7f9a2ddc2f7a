import TapelineHAR

// What can be done with logs, by `TapelineHAR` alone.

func lint(_ pieces: some Sequence<[UInt8]>) throws {
  var lint = HARLint(profiles: [.devtools])
  for piece in pieces { try lint.feed(piece.span) { print($0.path, $0.message) } }
  try lint.finish { print($0.path, $0.message) }
}

func read(_ pieces: some Sequence<[UInt8]>) throws {
  var reader = HARReader()
  for piece in pieces {
    reader.feed(piece.span)
    while let event = try reader.next() { print(event) }
  }
  reader.finish()
  while let event = try reader.next() { print(event) }
}

func write(_ entry: HAREntry, creator: HARCreator, pages: [HARPage]) -> [UInt8] {
  var text: [UInt8] = []
  var writer = HARWriter(HARLog(creator: creator, pages: pages)) { piece in
    for index in piece.indices { text.append(piece[index]) }
  }
  writer.write(entry)
  writer.finish()
  return text
}

func slowest(of text: [UInt8]) throws -> [HAREntry] {
  let log = try HARLog(json: text)
  return log.entries.sorted { $0.time > $1.time }
}
