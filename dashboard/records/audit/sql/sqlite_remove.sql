DROP TRIGGER IF EXISTS audit_event_no_update;

DROP TRIGGER IF EXISTS audit_event_no_delete;
