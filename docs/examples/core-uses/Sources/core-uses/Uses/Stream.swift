import TapelineCore

/// A body is handed on as it comes. While a handler is busy the connection is not read, so memory stays flat.
func stream(_ server: Server) async throws -> String {
  let characters = Protected(0)
  return try await withCheckedThrowingContinuation { done in
    AF.streamRequest(server.url + "/lines")
      .validate()
      .responseStreamString { stream in
        switch stream.event {
        case .stream(.success(let text)):
          characters.write { $0 += text.count }
        case .complete(let completion):
          if let error = completion.error {
            done.resume(throwing: error)
          } else {
            done.resume(returning: "\(characters.wrappedValue) characters")
          }
        }
      }
  }
}
