DROP TRIGGER IF EXISTS audit_event_no_update ON audit_event;

DROP TRIGGER IF EXISTS audit_event_no_delete ON audit_event;

DROP TRIGGER IF EXISTS audit_event_no_truncate ON audit_event;

DROP FUNCTION IF EXISTS audit_event_refuse();
