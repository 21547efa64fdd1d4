-- The application adds events. It changes none, but for emptying `who` when an account is deleted.
CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event
WHEN NOT (
    NEW.who_id IS NULL AND NEW.id IS OLD.id AND NEW.at IS OLD.at AND NEW.name IS OLD.name
    AND NEW.did IS OLD.did AND NEW.what IS OLD.what AND NEW.detail IS OLD.detail
)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
