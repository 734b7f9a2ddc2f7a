import TapelineCore

/// Parameters go into the body as the method has it: for POST as a form. Every handler is called, in order.
func postForm(_ server: Server) async throws -> String {
  let text = Protected("")
  let fields = try await withCheckedThrowingContinuation { done in
    AF.request(server.url + "/form", method: .post, parameters: ["title": "Side A & B", "minutes": 42, "stereo": true])
      .validate()
      .responseString { response in
        text.wrappedValue = response.value ?? ""
      }
      .responseDecodable(of: [String: String].self) { response in
        done.resume(with: response.result)
      }
  }
  guard fields == ["title": "Side A & B", "minutes": "42", "stereo": "1"] else { throw Unexpected("\(fields)") }
  return "\(fields.count) fields in \(text.wrappedValue.count) characters"
}
