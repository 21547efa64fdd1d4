SELECT event_name, count_misc, sum_timer_misc, max_timer_misc, sum_number_of_bytes_write
FROM performance_schema.file_summary_by_event_name
WHERE event_name IN (
    'wait/io/file/sql/binlog',
    'wait/io/file/innodb/innodb_log_file',
    'wait/io/file/innodb/innodb_data_file',
    'wait/io/file/innodb/innodb_dblwr_file'
)
