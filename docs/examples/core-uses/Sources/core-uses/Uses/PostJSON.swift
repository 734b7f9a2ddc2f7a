import TapelineCore

/// A value of a type of one's own goes out as JSON, and one comes back.
func postJSON(_ server: Server) async throws -> String {
  let tape = Tape(title: "Loopback", minutes: 42)
  let response = await AF.request(server.url + "/tape", method: .post, parameters: tape, encoder: .json)
    .validate(statusCode: [201])
    .serializingDecodable(Tape.self)
    .response
  guard try response.result.get() == tape else { throw Unexpected(response.debugDescription) }
  return "status \(response.response?.statusCode ?? 0)"
}
