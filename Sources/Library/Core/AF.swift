public import FoundationEssentials
public import TapelineHTTP

/// The former name of sessions.
public typealias SessionManager = Session

/// The default session.
public let AF = Session.default

/// `Session.default.request(…)`.
///
/// - Parameters:
///   - convertible: makes the URL.
///   - method: the method.
///   - parameters: put into the URL or the body; `nil` for none.
///   - encoding: how the parameters are written.
///   - headers: the fields; the session adds its own where the request has none of that name.
///   - interceptor: adapts and retries this request, before the session's.
/// - Returns: the request.
public func request(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
  encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> DataRequest {
  AF.request(
    convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor)
}

/// `Session.default.request(…)`.
public func request(
  _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
) -> DataRequest {
  AF.request(convertible, interceptor: interceptor)
}

/// `Session.default.download(…)`.
///
/// - Parameters:
///   - convertible: makes the URL.
///   - method: the method.
///   - parameters: put into the URL or the body; `nil` for none.
///   - encoding: how the parameters are written.
///   - headers: the fields; the session adds its own where the request has none of that name.
///   - interceptor: adapts and retries this request, before the session's.
///   - destination: where the file goes; `nil` leaves it at its temporary URL.
/// - Returns: the request.
@preconcurrency
public func download(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
  encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil, to destination: DownloadRequest.Destination? = nil
) -> DownloadRequest {
  AF.download(
    convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
    to: destination)
}

/// `Session.default.download(…)`.
///
/// - Parameters:
///   - data: the bytes of the body.
///   - interceptor: adapts and retries this request, before the session's.
///   - destination: where the file goes; `nil` leaves it at its temporary URL.
/// - Returns: the request.
@preconcurrency
public func download(
  resumingWith data: Data, interceptor: (any RequestInterceptor)? = nil, to destination: DownloadRequest.Destination? = nil
) -> DownloadRequest {
  AF.download(resumingWith: data, interceptor: interceptor, to: destination)
}

/// `Session.default.upload(…)`.
///
/// - Parameters:
///   - data: the bytes of the body.
///   - convertible: makes the URL.
///   - method: the method.
///   - headers: the fields; the session adds its own where the request has none of that name.
///   - interceptor: adapts and retries this request, before the session's.
/// - Returns: the request.
public func upload(
  _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> UploadRequest {
  AF.upload(data, to: convertible, method: method, headers: headers, interceptor: interceptor)
}

/// `Session.default.upload(…)`.
///
/// - Parameters:
///   - fileURL: the file.
///   - convertible: makes the URL.
///   - method: the method.
///   - headers: the fields; the session adds its own where the request has none of that name.
///   - interceptor: adapts and retries this request, before the session's.
/// - Returns: the request.
public func upload(
  _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> UploadRequest {
  AF.upload(fileURL, to: convertible, method: method, headers: headers, interceptor: interceptor)
}

/// `Session.default.streamRequest(…)`.
///
/// - Parameters:
///   - convertible: makes the URL.
///   - method: the method.
///   - headers: the fields; the session adds its own where the request has none of that name.
///   - interceptor: adapts and retries this request, before the session's.
/// - Returns: the request.
public func streamRequest(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> DataStreamRequest {
  AF.streamRequest(convertible, method: method, headers: headers, interceptor: interceptor)
}
