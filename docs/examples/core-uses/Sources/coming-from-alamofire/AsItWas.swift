import Foundation
import TapelineCore

// What compiles as it was, but for the name of the module. Each is run against the server of `scripts/lab/run library-server`.

func requests(_ url: String) async throws -> String {
  let done = Gate()
  AF.request(url + "/tape").response { response in
    debugPrint(response)
    done.open()
  }
  await done.wait()
  let tape =
    try await AF
    .request(url + "/tape", parameters: ["side": "A"], headers: [.accept("application/json")])
    .validate(statusCode: 200..<300)
    .validate(contentType: ["application/json"])
    .serializingDecodable(Tape.self)
    .value
  return tape.title
}

func handlers(_ url: String) async throws -> String {
  let done = Gate()
  let tape = Tape(title: "Loopback", minutes: 42)
  AF.request(url + "/tape", method: .post, parameters: tape, encoder: JSONParameterEncoder.default)
    .validate()
    .cURLDescription { description in
      print(description)
    }
    .responseDecodable(of: Tape.self, queue: .global()) { response in
      switch response.result {
      case .success(let tape): print(tape.title)
      case .failure(let error): print(error.responseCode ?? 0, error.localizedDescription)
      }
      done.open()
    }
  await done.wait()
  return "two handlers"
}

func uploads(_ url: String) async throws -> String {
  let parts = try await AF.upload(
    multipartFormData: { form in
      form.append(Data("Loopback".utf8), withName: "title")
      form.append(Data(repeating: 0xAB, count: 100), withName: "cover", fileName: "cover.png", mimeType: "image/png")
    }, to: url + "/multipart"
  )
  .uploadProgress { progress in
    print(progress.fractionCompleted)
  }
  .serializingDecodable([String: String].self)
  .value
  return "\(parts.count) parts"
}

func downloads(_ url: String) async throws -> String {
  let destination: DownloadRequest.Destination = { _, response in
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("tape-\(UUID())-\(response.suggestedFilename)")
    return (file, [.removePreviousFile, .createIntermediateDirectories])
  }
  let response = await AF.download(url + "/tape", to: destination).validate().serializingDownloadedFileURL().response
  guard let file = response.fileURL else { throw Unexpected("\(response)") }
  defer { try? FileManager.default.removeItem(at: file) }
  return "\(try Data(contentsOf: file).count) bytes"
}

func streams(_ url: String) async throws -> String {
  var text = ""
  for await stream in AF.streamRequest(url + "/lines").streamTask().streamingStrings() {
    switch stream.event {
    case .stream(.success(let piece)): text += piece
    case .complete(let completion): print(completion)
    }
  }
  return "\(text.count) characters"
}

func interceptors(_ url: String) async throws -> String {
  let session = Session(
    interceptor: .interceptor(
      adapters: [
        .adapter { request, _, completion in
          var request = request
          request.headers.add(.userAgent("tape-deck/1.0"))
          completion(.success(request))
        }
      ],
      interceptors: [RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0.01)]))
  let answer = try await session.request(url + "/flaky?alamofire").validate().serializingDecodable([String: Int].self).value
  return "attempt \(answer["attempt"] ?? 0)"
}

func authentication(_ url: String) async throws -> String {
  let interceptor = AuthenticationInterceptor(
    authenticator: OAuthAuthenticator(), credential: OAuthCredential(token: "old", isOld: true))
  let session = Session(interceptor: interceptor)
  _ = try await session.request(url + "/tape").validate().serializingData().value
  guard let token = interceptor.credential?.token else { throw Unexpected("there is no credential") }
  return "refreshed to \(token)"
}

struct OAuthCredential: AuthenticationCredential {
  let token: String
  let isOld: Bool

  var requiresRefresh: Bool { isOld }
}

final class OAuthAuthenticator: Authenticator {
  func apply(_ credential: OAuthCredential, to urlRequest: inout URLRequest) {
    urlRequest.headers.add(.authorization(bearerToken: credential.token))
  }

  func refresh(
    _ credential: OAuthCredential, for session: Session,
    completion: @escaping @Sendable (Result<OAuthCredential, any Error>) -> Void
  ) {
    completion(.success(OAuthCredential(token: "new", isOld: false)))
  }

  func didRequest(
    _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool {
    response.statusCode == 401
  }

  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: OAuthCredential) -> Bool {
    urlRequest.headers["Authorization"] == HTTPHeader.authorization(bearerToken: credential.token).value
  }
}

func choices(_ url: String) async throws -> String {
  let request = AF.request(url + "/tape")
    .redirect(using: Redirector.follow)
    .cacheResponse(using: ResponseCacher.doNotCache)
    .onHTTPResponse { response in
      print(response.statusCode)
    }
    .onURLRequestCreation { request in
      print(request.url?.absoluteString ?? "")
    }
  AF.withAllRequests { requests in
    print(requests.count)
  }
  let response = await request.serializingString().response
  return "\(response.map(\.count))"
}

func conveniences() -> String {
  let header: HTTPHeader = .authorization(username: "ada", password: "loopback")
  let headers: HTTPHeaders = [header, .acceptLanguage("en")]
  let error = AFError.explicitlyCancelled
  let result: AFResult<Int> = .failure(error)
  let retry = RetryResult.retryWithDelay(1)
  return "\(headers.count) \(error.isExplicitlyCancelledError) \(result.isFailure) \(retry.retryRequired)"
}
