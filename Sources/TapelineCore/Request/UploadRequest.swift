internal import TapelineTransport

/// A request with a body that its task pulls. Its response is kept in memory unless its delegate decides otherwise.
public final class UploadRequest: DataRequest, @unchecked Sendable {
  init(session: Session, work: SessionTask.Work, delegate: UploadTaskDelegate) {
    super.init(session: session, work: work, delegate: delegate)
  }
}
