import TapelineCore

/// Requests side by side, a body piece by piece, and a request that ends with the task that awaits it.
func fetchAll(_ server: Server) async throws -> String {
  async let first = AF.request(server.url + "/tape").serializingDecodable(Tape.self).value
  async let second = AF.request(server.url + "/tape").serializingString().value
  let (tape, text) = try await (first, second)

  var bytes = 0
  for try await piece in AF.streamRequest(server.url + "/lines").bytes() { bytes += piece.count }

  let waiting = Task { await AF.request(server.url + "/silence").serializingData().result }
  waiting.cancel()
  guard case .failure(.explicitlyCancelled) = await waiting.value else { throw Unexpected("not cancelled") }
  return "\(tape.title), \(text.count) characters, \(bytes) bytes, one cancelled"
}
