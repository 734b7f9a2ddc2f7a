/// The parts of a session that making a request needs.
package struct RequestScope {
  let engine: SessionEngine
  let owner: any RequestDelegate
  let interceptor: (any RequestInterceptor)?
  /// In place of the session's setting.
  let shouldAutomaticallyResume: Bool?
}
